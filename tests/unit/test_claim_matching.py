"""Do two claims say the same, or give another value."""

from __future__ import annotations

import pytest

from openclaw_cli.memory.claim_matching import (
    Weights,
    compare,
    is_close,
    is_covered,
    read,
    weekdays_in,
)


def relation(older: str, newer: str) -> str | None:
    said = [read(older), read(newer)]
    found = compare(*said, Weights([older, newer]))
    return found and found.relation


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The spare key hangs behind the fuse box", "- spare key: it is behind the fuse box"),
        ("Lena verträgt keinen Sellerie, auch nicht in Brühe", "Lena: kein Sellerie, keine Brühe"),
        (
            "Klucz zapasowy wisi za skrzynką w piwnicy",
            "zapasowe klucze wiszą w piwnicy za skrzynką",
        ),
        ("Запасной ключ висит за щитком в подвале", "ключ запасной в подвале, за щитком"),
        ("备用钥匙放在邻居王阿姨家", "钥匙的备用放在王阿姨家里"),
        ("予備の鍵は王さんの花屋に預けてある", "王さんの花屋に鍵の予備を預けた"),
        ("여분 열쇠는 옆집 김 선생님 댁에 있다", "옆집 김 선생님 댁에 여분 열쇠를 맡겼다"),
        (
            "Yedek anahtar komşu Ayşe Hanım'da duruyor",
            "Ayşe Hanım komşumuz, yedek anahtarımız onda",
        ),
        ("مفتاح الاحتياط عند الجار أبو سامي", "الجار أبو سامي عنده مفتاح الاحتياط"),
    ],
)
def test_a_rephrasing_says_the_same(one: str, other: str) -> None:
    assert relation(one, other) == "same"
    assert relation(other, one) == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The spare key hangs behind the fuse box", "The fuse box was inspected by Mr Ito"),
        ("Lena verträgt keinen Sellerie", "Lena lernt Posaune bei Herrn Wirth"),
        ("备用钥匙放在邻居王阿姨家", "王阿姨每周三教书法"),
        ("Запасной ключ висит за щитком", "Щиток проверяет электрик раз в год"),
    ],
)
def test_a_shared_name_is_not_the_same_claim(one: str, other: str) -> None:
    assert relation(one, other) is None


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The market closes at 16:00 on weekdays", "The market closes at 17:30 on weekdays"),
        ("Chess club meets Tuesday in the library", "Chess club now meets Friday in the library"),
        (
            "Chess club meets Tuesday in the library",
            "Chess club in the library moved from Tuesday to Friday",
        ),
        (
            "Chorprobe im Pfarrsaal Linden ist dienstags",
            "Chorprobe Pfarrsaal Linden jetzt freitags",
        ),
        ("Czynsz za garaż wynosi 300 zł", "Czynsz za garaż wynosi teraz 350 zł"),
        ("書道教室は火曜の六時から公民館で", "書道教室は変更で金曜の六時から公民館で"),
    ],
)
def test_another_value_for_the_same_thing_contradicts(older: str, newer: str) -> None:
    assert relation(older, newer) == "other-value"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The rent is 950 euros, due on the 3rd", "Paid the rent, 950.00 euros as always"),
        (
            "Grandpa takes 2 tablets with breakfast",
            "Grandpa: with breakfast 2 tablets, for 10 days",
        ),
        ("The cello needs 45 % humidity at least", "Picked up the cello, humidity showed 47 %"),
    ],
)
def test_more_or_other_numbers_are_no_contradiction(one: str, other: str) -> None:
    assert relation(one, other) != "other-value"


def test_close_claims_share_a_subject_and_values() -> None:
    known = read("Rowing: the club wrote that training moves from Monday to Friday 18:15")
    assert is_close(known, read("rowing with new gloves, Friday 18:15 suits everybody"))
    assert not is_close(known, read("Friday 18:15 dinner at the harbour with Paul"))


def test_most_of_a_short_claim_is_covered() -> None:
    known = read("Ada: please write short answers, two lines are plenty")
    assert is_covered(known, read('Ada: "shorter answers!"'))
    assert not is_covered(known, read("Ada wants the blue folder from the attic"))


def test_weekdays_are_found_in_their_forms() -> None:
    assert weekdays_in("Mondays and donnerstags, в среду, 金曜に") == {0, 2, 3, 4}
    assert weekdays_in("someday") == set()
