"""The SHA-256 of raw files, by their path below a root. Of files that are not named here no copy was at hand to compute it.

Those of cora.npz and of Reddit's archive are the ones that several projects publish for these addresses; all others were
computed from the files that the graphs' expected counts were checked on.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

SHA256 = {
    "Amazon/Photo/raw/amazon_electronics_photo.npz": "bdb1feb8e6ff42ee44024b04479145029c563fd42fc31bff80af20887ba0439a",
    "BlogCatalog/blogcatalog.npz": "d8b8cdd996b1ec39fe995e786594adcfb20cedf78de1b2423b9fb606c68bdfa6",
    "CitationFull/cora/raw/cora.npz": "62e054f93be00a3dedb15b7ac15a2a07168ceab68b40bf95f54d2289d024c6bc",
    "CitationFull/cora/raw/cora_full_edges.tsv": "e808a9b5cf12178a76c7f0228d7f6e071b50856d7858667077103688323330a8",
    "CitationFull/cora/raw/cora_full_labels.txt": "8bae44d20695f94a0d3a8a9cf7027c4a65161f2220d41a2d8f46875e5c05803d",
    "CitationFull/dblp/raw/dblp.npz": "554239b4783f324a980af63fcf1cb61da7b8f371acfd340a31b515451ffb1693",
    "Planetoid/CiteSeer/raw/ind.citeseer.allx": "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668",
    "Planetoid/CiteSeer/raw/ind.citeseer.ally": "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95",
    "Planetoid/CiteSeer/raw/ind.citeseer.graph": "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7",
    "Planetoid/CiteSeer/raw/ind.citeseer.test.index": "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4",
    "Planetoid/CiteSeer/raw/ind.citeseer.tx": "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21",
    "Planetoid/CiteSeer/raw/ind.citeseer.ty": "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce",
    "Planetoid/CiteSeer/raw/ind.citeseer.x": "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6",
    "Planetoid/CiteSeer/raw/ind.citeseer.y": "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924",
    "Planetoid/Cora/raw/ind.cora.allx": "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543",
    "Planetoid/Cora/raw/ind.cora.ally": "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71",
    "Planetoid/Cora/raw/ind.cora.graph": "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d",
    "Planetoid/Cora/raw/ind.cora.test.index": "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875",
    "Planetoid/Cora/raw/ind.cora.tx": "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a",
    "Planetoid/Cora/raw/ind.cora.ty": "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad",
    "Planetoid/Cora/raw/ind.cora.x": "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab",
    "Planetoid/Cora/raw/ind.cora.y": "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1",
    "Planetoid/PubMed/raw/ind.pubmed.allx": "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e",
    "Planetoid/PubMed/raw/ind.pubmed.ally": "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e",
    "Planetoid/PubMed/raw/ind.pubmed.graph": "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9",
    "Planetoid/PubMed/raw/ind.pubmed.test.index": "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5",
    "Planetoid/PubMed/raw/ind.pubmed.tx": "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d",
    "Planetoid/PubMed/raw/ind.pubmed.ty": "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd",
    "Planetoid/PubMed/raw/ind.pubmed.x": "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33",
    "Planetoid/PubMed/raw/ind.pubmed.y": "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3",
    "heterophilous/actor.npz": "c350eef06b2c2a9bf8218be2b57cac6d4003d0922eb597a039e9123f75817816",
    "heterophilous/chameleon_filtered.npz": "bf46f07e1fb5249280447e5fe3100f3e82fc4b93ad1e13ffcfdec924b6ac0bb5",
    "heterophilous/cornell.npz": "684c54ba3daa13b0ba1f04a3d6dd1b1175c1ae9bdeb982851fd4ff96d3aac298",
    "heterophilous/tolokers.npz": "dacf3ac94cec53d03cd2adb5255c08b33dee1656c33ca8164a464bd9450a1667",
    "heterophilous/wiki.mat": "1b59b0b19cbf398bbc5c1c940f3c262300bcd56dae04890094666f9d220533b3",
    "musae/DE/edges.csv": "54feaf3e3e70a485fe07f8611e4d2677841b97f77b8358204bcf4a48cc884d86",
    "musae/DE/features.json": "7b39c42570f05cd46017c765df8d8a1bc03f19787c3eb0f9684f50a52476ae3a",
    "musae/DE/target.csv": "2188f58a093bb9db363d3eaf7c3a52c2adc8ff6b23cbcb4f53875f87061c0321",
    "musae/ENGB/edges.csv": "5ea4d7f7267454e9523577eb2a9b4dcb7a22dd660a548240f01b815d08e0e3cc",
    "musae/ENGB/features.json": "d55948bd911ab28e0a89c4946562d5a8b363b9a7e4216e1a4986f37c74caa777",
    "musae/ENGB/target.csv": "e9d51399878216d2dd662b0a152b602cccde7b5cbb8452cb91d9379f64114443",
    "musae/ES/edges.csv": "17801d2cc45fc4909a431ce7a190c0565d4af87b0548ca7705cf2bef7da4c884",
    "musae/ES/features.json": "dec4b672183f9cb04524ee605b763cc14244ed88eb766147a3f954e9abe30d59",
    "musae/ES/target.csv": "f843427bae58289100e78c6c211fa4a1ae0d5fbf2c665841df9e390b00dcffb5",
    "musae/facebook/edges.csv": "7c50d8f02a75cc0829577814a1fc14535164daa38d79c3612340c9e9cdbd4022",
    "musae/facebook/features.json": "ea870537646a93642a0008d38aa9bfeff02018070ba97b1f3f469d9622626436",
    "musae/facebook/target.csv": "7bd96eafea3c2ca40f44bfa9e73642194696c21e38c7b29ed409c32ad14075cd",
}

REDDIT_ARCHIVE = "9a16353c28f8ddd07148fc5ac9b57b818d7911ea0fbe9052d66d49fc32b372bf"


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
