# The program in a container, from the same constraints as `make`:
#   docker build -t sparsecut . && docker run --rm -v "$PWD:/data" sparsecut embed edges.csv -o vectors.parquet
# --target dev is what .devcontainer uses: everything that .ci/run needs.
# On Linux pip's torch brings CUDA with it; PIP_ARGS takes the options that choose its CPU build instead.

FROM python:3.11-slim-bookworm AS core
ARG PIP_ARGS=""
ENV PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /opt/sparsecut
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
# hadolint ignore=SC2086
RUN pip install ${PIP_ARGS} --constraint constraints.txt torch \
    && pip install ${PIP_ARGS} --constraint constraints.txt '.[explore,search,formats,fast]' \
    && useradd --create-home --uid 1000 user
USER 1000
WORKDIR /data
ENTRYPOINT ["sparsecut"]

FROM python:3.11-slim-bookworm AS dev
ARG PIP_ARGS=""
ENV PIP_NO_CACHE_DIR=1
# Debian's versions are those of its release; none is pinned further.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends build-essential chromium git make nodejs npm \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 user
WORKDIR /opt/sparsecut
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src/sparsecut/base/package_version.py src/sparsecut/base/package_version.py
# hadolint ignore=SC2086
RUN pip install ${PIP_ARGS} --constraint constraints.txt torch \
    && pip install ${PIP_ARGS} --constraint constraints.txt '.[dev]' \
    && pip uninstall --yes sparsecut
USER 1000

FROM core
