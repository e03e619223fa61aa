"""Word lists of the concept tags: domain terms to prefer, filler words to refuse.

``memory.md`` 6. ``GLOSSARY`` keeps its order: that is the order of tags.
"""

from __future__ import annotations

GLOSSARY = (
    # English
    "backup", "backups", "embedding", "embeddings", "failover", "gateway", "glacier", "gpt",
    "kv", "network", "openai", "qmd", "router", "s3", "vlan",
    # French, German, Spanish
    "sauvegarde", "routeur", "passerelle", "réseau", "sicherung", "netzwerk", "überwachung",
    "respaldo", "enrutador", "puerta de enlace",
    # Japanese, Chinese, Korean
    "バックアップ", "フェイルオーバー", "ルーター", "ネットワーク", "ゲートウェイ", "障害対応",
    "路由器", "备份", "故障转移", "网络", "网关",
    "라우터", "백업", "페일오버", "네트워크", "게이트웨이", "장애대응",
)  # fmt: skip

_NOTE_WORDS = """
    about after again agent also assistant because before being between build called could daily
    default deploy during every file files from have just line lines long main make memory month
    more most move much next note notes over part past port same score search session sessions
    short should since some subagent system than that their there these they this through today
    tool user using with work workspace year
    and are for into its our the then were
"""
_FILE_SUFFIXES = "cjs cpp cts css html ini js json jsonl jsx md mdx mjs mts text toml ts tsx txt"
_MORE_SUFFIXES = "xml yaml yml"
_FRENCH = "aux avec dans des est les par pour que qui sans ses son sur une"
_SPANISH = "con como del las los para por que sin sus una uno unas unos"
_GERMAN = """
    auf aus bei das dem den der des die ein eine einem einen einer für ist mit nach nicht oder
    ohne und von zum zur über
"""
_CHINESE = "我们 你们 他们 这个 那个 一个 没有 因为 所以 以及 使用"
_JAPANESE = "です ます した する して ある いる この その から まで より ため こと もの よう ので"
_KOREAN = "그리고 에서 으로 하고 이것 그것 있다 없다 하다 합니다 하는"

STOP_WORDS = frozenset(
    " ".join(
        (
            _NOTE_WORDS,
            _FILE_SUFFIXES,
            _MORE_SUFFIXES,
            _FRENCH,
            _SPANISH,
            _GERMAN,
            _CHINESE,
            _JAPANESE,
            _KOREAN,
        )
    ).split()
)

# Words that say nothing as the theme of several memories, though they may tag one entry:
# what dreaming itself writes about memories, and function words.
_THEME_FILLERS = """
    all anything around been both but can candidate candidates confidence did doing done each
    else evidence example further get got had has having here how keep kept know later making
    many may might must need off only others own per really reflection reflections said say says
    see seen she such surfaced surfacing take them theme themes thing things think those tomorrow
    truth truths until upon used very via want wants way what when where which while who why
    within would yes yesterday you your yours
"""
THEME_STOP_WORDS = frozenset(_THEME_FILLERS.split())
