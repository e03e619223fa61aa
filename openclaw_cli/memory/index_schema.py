"""Tables of the search index, and what it was built for (``memory.md`` 2.3).

``meta``, ``files``, ``chunks``, ``chunks_fts`` and ``embedding_cache`` are the original
program's. ``notes``, ``windows``, ``windows_fts`` and ``vectors`` are ours: the state of a
note at its last visit, its claim-sized windows with their words, and embeddings in binary.
The file is a cache: it can be deleted at any time, and a schema of another version, or
none, means that it is built anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    import sqlite3

SCHEMA_VERSION = 1
META_KEY = "memory_index_meta_v1"
OWN_KEY = "openclaw_cli_schema"
SYNCED_KEY = "openclaw_cli_synced"
KEYWORD_MODEL = "fts-only"
NO_EMBEDDING = "[]"

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE files (
  path TEXT PRIMARY KEY, source TEXT NOT NULL DEFAULT 'memory', hash TEXT NOT NULL,
  mtime REAL NOT NULL, size INTEGER NOT NULL);
CREATE TABLE chunks (
  id TEXT PRIMARY KEY, path TEXT NOT NULL, source TEXT NOT NULL DEFAULT 'memory',
  start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, hash TEXT NOT NULL,
  model TEXT NOT NULL, text TEXT NOT NULL, embedding TEXT NOT NULL, updated_at INTEGER NOT NULL);
CREATE INDEX idx_chunks_path ON chunks(path);
CREATE INDEX idx_chunks_source ON chunks(source);
CREATE TABLE embedding_cache (
  provider TEXT NOT NULL, model TEXT NOT NULL, provider_key TEXT NOT NULL, hash TEXT NOT NULL,
  embedding TEXT NOT NULL, dims INTEGER, updated_at INTEGER NOT NULL,
  PRIMARY KEY (provider, model, provider_key, hash));
CREATE INDEX idx_embedding_cache_updated_at ON embedding_cache(updated_at);
CREATE TABLE notes (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, day TEXT,
  windows INTEGER NOT NULL, words INTEGER NOT NULL);
CREATE TABLE windows (
  id INTEGER PRIMARY KEY, note INTEGER NOT NULL, start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL, words INTEGER NOT NULL, heading INTEGER, is_heading INTEGER NOT NULL,
  derived INTEGER NOT NULL, day TEXT, label TEXT, text TEXT NOT NULL);
CREATE INDEX idx_windows_note ON windows(note);
CREATE INDEX idx_windows_day ON windows(day) WHERE day IS NOT NULL;
CREATE VIRTUAL TABLE windows_fts USING fts5(
  words, content='', columnsize=0,
  tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'");
CREATE VIRTUAL TABLE windows_vocab USING fts5vocab('windows_fts', 'row');
CREATE TABLE vectors (chunk TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
"""
_CHUNKS_FTS = """
CREATE VIRTUAL TABLE chunks_fts USING fts5(
  text, id UNINDEXED, path UNINDEXED, source UNINDEXED, model UNINDEXED,
  start_line UNINDEXED, end_line UNINDEXED{tokenize});
"""
_TOKENIZERS = {"unicode61": "", "trigram": ", tokenize='trigram case_sensitive 0'"}


class Identity(NamedTuple):
    """What an index was built for; any difference makes it another index."""

    model: str
    provider: str
    provider_key: str
    sources: tuple[str, ...]
    scope_hash: str
    chunk_tokens: int
    chunk_overlap: int
    tokenizer: str

    def to_json(self) -> dict[str, Any]:
        """The object of the meta row."""
        return {
            "model": self.model,
            "provider": self.provider,
            "providerKey": self.provider_key,
            "sources": list(self.sources),
            "scopeHash": self.scope_hash,
            "chunkTokens": self.chunk_tokens,
            "chunkOverlap": self.chunk_overlap,
            "ftsTokenizer": self.tokenizer,
        }

    @property
    def keyword_only(self) -> bool:
        """Whether the index holds no embeddings."""
        return self.model == KEYWORD_MODEL


_ASPECTS = {
    "model": "embedding model",
    "provider": "embedding provider",
    "providerKey": "embedding endpoint",
    "sources": "sources",
    "scopeHash": "extra paths",
    "chunkTokens": "chunking",
    "chunkOverlap": "chunking",
    "ftsTokenizer": "tokenizer",
}
_EMBEDDING_KEYS = ("model", "provider", "providerKey")
_SCOPE_KEYS = ("sources", "scopeHash")


class Difference(NamedTuple):
    """In what an index differs from what is wanted.

    ``changes_chunks``: its rows are of no use; else only other notes belong to it.
    """

    aspect: str
    changes_chunks: bool


def difference(
    stored: dict[str, Any], wanted: Identity, *, ignore_model: bool = False
) -> Difference | None:
    """How a meta row differs from ``wanted``, the gravest difference first."""
    unequal = [
        key
        for key, value in wanted.to_json().items()
        if stored.get(key) != value and not (ignore_model and key in _EMBEDDING_KEYS)
    ]
    unequal.sort(key=lambda key: key in _SCOPE_KEYS)
    return Difference(_ASPECTS[unequal[0]], unequal[0] not in _SCOPE_KEYS) if unequal else None


def is_current(db: sqlite3.Connection, meta: dict[str, str], stored: dict[str, Any]) -> bool:
    """Whether an index has this version's tables, column for column.

    The number alone does not tell: a release may change a table and forget it. Tables of
    other programs do not matter.
    """
    if meta.get(OWN_KEY) != str(SCHEMA_VERSION):
        return False
    made = {sql for (sql,) in db.execute("SELECT sql FROM sqlite_master").fetchall()}
    return made.issuperset(_statements(str(stored.get("ftsTokenizer"))))


def _statements(tokenizer: str) -> list[str]:
    """The definitions of all tables, as SQLite keeps them."""
    script = _TABLES + _CHUNKS_FTS.format(tokenize=_TOKENIZERS.get(tokenizer, ""))
    return [part.strip() for part in script.split(";") if part.strip()]


def create(db: sqlite3.Connection, identity: Identity) -> None:
    """Make the tables of an empty database and write what it is for."""
    import json

    db.executescript(_TABLES + _CHUNKS_FTS.format(tokenize=_TOKENIZERS[identity.tokenizer]))
    meta = json.dumps(identity.to_json(), separators=(",", ":"))
    db.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        [(META_KEY, meta), (OWN_KEY, str(SCHEMA_VERSION)), (SYNCED_KEY, "0")],
    )


def sha256(text: str) -> str:
    """The hash that ids, file rows and identities are made of."""
    from hashlib import sha256 as digest

    from openclaw_cli.memory.text import encode_like_javascript

    return digest(encode_like_javascript(text)).hexdigest()


def read_meta(db: sqlite3.Connection) -> dict[str, str]:
    """All meta rows; empty when the table is missing."""
    known = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone()
    if known is None:
        return {}
    return {
        str(key): str(value) for key, value in db.execute("SELECT key, value FROM meta").fetchall()
    }


def stored_identity(meta: dict[str, str]) -> dict[str, Any] | None:
    """The identity object of meta rows, None where there is none or it is unreadable."""
    import json

    try:
        found = json.loads(meta.get(META_KEY, ""))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def set_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    """Write one meta row."""
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
