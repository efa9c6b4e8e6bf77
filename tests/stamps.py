"""The stamp of cells that tests make by hand: of today's code."""

from __future__ import annotations

from sparsecut.lab.paper.code_stamp import stamp_code

TODAY = stamp_code(["sparsecut.base.package_version"])
