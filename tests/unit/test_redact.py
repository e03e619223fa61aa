"""What is masked before text is stored a second time, and what is left alone.

``SECRETS`` is a corpus of samples: every miss in the wild belongs here first.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.state import redact

PEM = "-----BEGIN RSA PRIVATE KEY----- MIIEow abc def -----END RSA PRIVATE KEY-----"

# text, what must be gone, what must stay
SECRETS = [
    ("My api key is sk-EXAMPLE1234567890abcdef for the lab", ["sk-EX", "cdef"], ["for the lab"]),
    ("API_TOKEN=tok_example_value_123456 it is", ["tok_", "3456"], ["API_TOKEN=", "it is"]),
    ("AWS_SECRET_ACCESS_KEY: wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ["wJal"], ["AWS_"]),
    ("Use Authorization: Bearer EXAMPLEbearer0123456789token now", ["EXAMPLEbearer"], ["now"]),
    ("curl -H 'Authorization: Basic dXNlcjpwYXNz'", ["dXNl"], ["curl"]),
    ("send Bearer EXAMPLEbearer0123456789token", ["EXAMPLEb"], ["send"]),
    ("Cookie: sid=31d4d96e407aad42; csrf=99", ["31d4", "99"], ["Cookie"]),
    ("x-api-key: 0123abcd4567", ["0123abcd"], ["x-api-key"]),
    ("and password=example-pass in the url", ["example-pass"], ["in the url"]),
    ("see https://example.com/?token=EXAMPLEtokenvalue1234&page=2", ["EXAMPLEt"], ["&page=2"]),
    ('{"apiKey": "abcd-efgh", "page": 2}', ["abcd"], ['"page": 2']),
    ("{'client_secret': 'shhh quiet'}", ["shhh", "quiet"], ["client_secret"]),
    ("run it with --password example-pass does not", ["example-pass"], ["does not"]),
    ("run it with --api-key=k1k2k3 today", ["k1k2"], ["today"]),
    ("Bot token 123456789:EXAMPLEabcdefghijklmnopqrstuv here", ["EXAMPLE", "123456789"], ["here"]),
    (f"the key {PEM} ends", ["MIIE", "def"], ["ends"]),
    ("-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNz never closed", ["b3Bl", "closed"], []),
    ("ghp_EXAMPLEabcdefghijklmnop0123 is out", ["ghp_"], ["is out"]),
    ("github_pat_11AAAAAAA0exampleexample is out", ["github_pat_"], []),
    ("xoxb-1234567890-abcdefghij", ["xoxb"], []),
    ("gsk_EXAMPLEabcdefgh0123", ["gsk_"], []),
    ("AIzaSyEXAMPLE0123456789abcdefghijkl", ["AIza"], []),
    ("ya29.EXAMPLEabcdefghijklmnop", ["ya29"], []),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", ["eyJ"], []),
    ("pplx-EXAMPLE0123456789", ["pplx"], []),
    ("npm_EXAMPLE0123456789abcdef", ["npm_"], []),
    ("AKIDEXAMPLE0123456789 and LTAIEXAMPLE0123456789", ["AKID", "LTAI"], ["and"]),
    ("AKIAIOSFODNN7EXAMPLE", ["AKIA"], []),
    ("hf_EXAMPLE0123456789abcdef and r8_EXAMPLE0123456789", ["hf_", "r8_"], []),
    ("glpat-EXAMPLE0123456789ab", ["glpat"], []),
    ("sk_live_EXAMPLE0123456789", ["sk_live"], []),
    ("https://hooks.slack.com/services/T000/B000/EXAMPLE0123456789", ["EXAMPLE"], ["hooks.slack"]),
    ("git clone https://robin:hunter2x@git.example.com/x.git", ["hunter2x"], ["git.example.com"]),
    ("ssh admin:hunter2x@10.0.0.5 works", ["hunter2x", "10.0.0.5"], ["works"]),
    ("smb root:geheim99@[fe80::1] works", ["geheim99", "fe80"], ["works"]),
    ("The wifi password is Blaubeere-77-Kanne!", ["Blaubeere", "Kanne"], ["wifi password"]),
    ("the guest password: tulpenfeld", ["tulpenfeld"], ["guest password"]),
    ('The password for the NAS is "correct horse"', ["correct", "horse"], ["NAS"]),
    ("Das WLAN-Passwort lautet Sommer2026regen", ["Sommer2026"], ["WLAN"]),
    ("Hasło do routera: kaktus", ["kaktus"], ["routera"]),
    ("La contraseña es Gato.1234", ["Gato"], ["contraseña"]),
    ("密码：abc12345", ["abc12345"], ["密码"]),
    ("My seed phrase is ripple candy vessel cotton globe orbit.", ["candy", "orbit"], ["My seed"]),
    ("login: admin / Wn7!xq", ["Wn7!xq"], ["login"]),
    ("The alarm code is 4471 now", ["4471"], ["alarm code", "now"]),
    ("card PIN 90210", ["90210"], ["PIN"]),
    ("your verification code: 118 204", ["118", "204"], ["verification code"]),
]

PERSONAL = [
    ("mail robin@example.com soon", ["robin", "example.com"], ["mail", "soon"]),
    ("mail łukasz.nowak@poczta.example.pl", ["nowak", "poczta"], ["mail"]),
    ("phone +1 555 0100 22", ["555", "0100"], ["phone"]),
    ("call +44 (0)20 7946 0018 today", ["7946"], ["call", "today"]),
    ("ruf 0171 2345678 an", ["2345678"], ["ruf", "an"]),
    ("Büro: 030/901820-15", ["901820"], ["Büro"]),
    ("US office (212) 555-0147", ["555"], ["US office"]),
    ("dial 212-555-0147 first", ["0147"], ["dial", "first"]),
    ("zadzwoń 601 234 567 jutro", ["234"], ["jutro"]),
    ("tel. 55501022", ["5550"], ["tel"]),
    ("手机：13812345678", ["13812345678"], ["手机"]),
    ("電話 03-1234-5678", ["1234-5678"], ["電話"]),
    ("pay with 4111 1111 1111 1111 please", ["4111", "1111"], ["pay", "please"]),
    ("pay with 378282246310005 please", ["378282246310005"], ["please"]),
    ("IBAN DE89 3704 0044 0532 0130 00 OK", ["3704", "0130"], ["OK"]),
    ("konto PL61109010140000071219812874", ["1090"], ["konto"]),
]

HARMLESS = [
    "Router vlan 20 carries the backup traffic to the gateway host.",
    "export LAB_TOKEN=$LAB_TOKEN keeps its reference",
    "Backups of the photo archive run every Sunday at 02:00 to the NAS.",
    "commit 5f2b1c9d0e3a4b6c7d8e9f0a1b2c3d4e5f6a7b8c is in",
    "session 4c1e012f-7d2b-4e5a-9c31-5a0f2e349ce1 of agent:main:main",
    "at 2026-11-19T09:01:05.000Z and 1795131600000 ms",
    "from 09:00-10:30 on 19.11.2026 or 11/19/2026, room 0815",
    "paid 1 250 000 EUR, 343 files, 10.0.20.1 is the gateway",
    "the password is wrong, reset it",
    "Passwords are kept in the vault",
    "a token of thanks for the key points",
    "The code is in the repository, version 4.11.3-rc2",
    "Prices: 450 000 000 for 3 units, order 20261119",
    "EUR/USD 1.09, EUR/CHF 0.94, nothing unusual in the last seven days.",
    "She said: ask for the secretary at nine",
    "Ratio 0.75 0.25 and 0,5 l milk, 100-200 g",
    "ISBN 978-3-16-148410-0 is on the shelf",
    "The greenhouse heater switches on below 4 degrees (see memory/2026-11-18.md:4-5)",
]


@pytest.mark.parametrize(("text", "gone", "kept"), SECRETS, ids=[row[0][:40] for row in SECRETS])
def test_secret_is_masked_whole(text: str, gone: list[str], kept: list[str]) -> None:
    masked = redact.secrets(text)
    assert redact.MASK in masked
    assert [part for part in gone if part in masked] == []
    assert [part for part in kept if part not in masked] == []
    assert redact.holds_secret(text)


@pytest.mark.parametrize(("text", "gone", "kept"), PERSONAL, ids=[row[0][:40] for row in PERSONAL])
def test_personal_data_is_masked_in_chats_and_kept_in_notes(
    text: str, gone: list[str], kept: list[str]
) -> None:
    masked = redact.everything(text)
    assert [part for part in gone if part in masked] == []
    assert [part for part in kept if part not in masked] == []
    assert not redact.holds_secret(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_is_untouched(text: str) -> None:
    assert redact.everything(text) == text


def test_address_is_masked_only_beside_credentials() -> None:
    assert redact.everything("ping 192.168.1.20") == "ping 192.168.1.20"
    masked = redact.everything("password: tulpenfeld99 on 192.168.1.20 and fe80::12:1")
    assert "192" not in masked
    assert "fe80" not in masked


def test_masking_again_changes_nothing() -> None:
    for text, _gone, _kept in SECRETS + PERSONAL:
        once = redact.everything(text)
        assert redact.everything(once) == once


@given(st.text(max_size=300))
def test_any_text_is_masked_stably(text: str) -> None:
    once = redact.everything(text)
    assert redact.everything(once) == once


def test_long_text_is_masked_in_linear_time() -> None:
    hard = ("password " * 4000) + ("a" * 20000) + ("1 " * 8000) + ("x:" * 8000) + "--" * 4000
    started = time.process_time()
    redact.everything(hard)
    assert time.process_time() - started < 5


def test_owner_patterns_mask_the_last_group_or_the_match() -> None:
    patterns = redact.compile_patterns([r"/badge (\d+)/i", "Projekt Nachtfalke", r"(?<n>zz\w)"])
    text = "Badge 4711 of projekt nachtfalke, zza"
    assert redact.secrets(text, patterns) == "Badge *** of ***, ***"


@pytest.mark.parametrize(
    ("value", "reason"),
    [(["("], "[0]: no regular expression"), (["a", 3], "[1]: expected a text"), ("a", "a list")],
)
def test_unusable_pattern_is_an_error(value: object, reason: str) -> None:
    with pytest.raises(ValueError, match=r"expected|regular") as caught:
        redact.compile_patterns(value)
    assert reason in str(caught.value)
