"""Do two claims say the same, or give another value."""

from __future__ import annotations

import pytest

from openclaw_cli.memory.claim_matching import (
    Weights,
    compare,
    is_close,
    is_covered,
    read,
)
from openclaw_cli.memory.claim_values import values_in, weekdays_in


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
        ("El taller abre de 9 a 18", "A partir del 18 de mayo el taller abre de 8 a 17"),
        ("受付は10時から18時、月曜休み", "5月18日から受付時間を9時から17時に変更、月曜休みは同じ"),
        (
            "영업시간은 오전 9시부터 오후 8시까지, 월요일 휴무",
            "15일부터 영업시간이 오전 8시부터 오후 9시로 바뀐다, 휴무는 그대로 월요일",
        ),
        ("营业时间是早上九点到晚上六点", "从5月18日起营业时间改为早上八点到晚上七点"),
        (
            "Paniers AMAP : distribution le jeudi à 18h, 32 familles",
            "Les paniers AMAP passent au vendredi 17h30 à partir du 22 mai, toujours 32 familles",
        ),
    ],
)
def test_another_value_for_the_same_thing_contradicts(older: str, newer: str) -> None:
    assert relation(older, newer) == "other-value"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The van is insured with Harrow Mutual", "The van is now insured with Tallgrass"),
        ("Die Haftpflicht läuft über Hanseatia", "Die Haftpflicht läuft jetzt über Nordwall"),
        ("店铺的保险在安泰公司", "店铺保险改到长河公司了,合同已经签好"),
        ("تأمين العيادة لدى شركة الواحة", "تأمين العيادة أصبح لدى شركة السنديان بدلا من الواحة"),
        ("Pesanan katering diantar Mas Yoyok", "Pesanan katering sekarang diantar Bu Ratmi"),
        ("Le compte de la ferme est au Crédit Rural",
         "Le compte de la ferme est désormais à la Banque des Marais"),
        ("가게 보험은 동산화재", "가게 보험은 새봄손보로 갈아탔다"),
        ("店の保険は青空損保", "店の保険は山手損保に切り替えた"),
        ("Страховка магазина у Полюса", "Страховка магазина теперь у Вектора"),
    ],
)  # fmt: skip
def test_another_name_that_holds_now_contradicts(older: str, newer: str) -> None:
    assert relation(older, newer) == "other-value"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Mirko hat montags Berufsschule", "Mirko meint, die Berufsschule sei jetzt mittwochs"),
        ("The van is insured with Harrow", "Apparently the van is now insured with Tallgrass"),
        ("店铺的保险在安泰公司", "听说店铺保险改到长河公司了"),
    ],
)
def test_hearsay_takes_no_place(older: str, newer: str) -> None:
    assert relation(older, newer) != "other-value"


def test_a_new_name_for_the_same_thing_contradicts() -> None:
    older = "Dentist for the kids is Northgate with Dr. Amsel"
    assert relation(older, "New dentist for the kids is Cobblestone, Dr. Feyre") == "other-value"
    tablet = "Biscuit takes half a thyroid tablet with food"
    bought = "picked up a new pack of thyroid tablets with food for Biscuit at Pinehurst"
    assert relation(tablet, bought) != "other-value"


def test_two_phrasings_of_one_change_say_the_same() -> None:
    one = "Swim: the Harlow pool mailed that the lesson moves from Tuesday to Thursday 16:30"
    assert relation(one, "Swim lesson moved, it is Thursdays at 16:30 from now on") == "same"


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


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("open 9:00 to 18.30, at 4:15 pm and 8 am", {"9:00", "18:30", "16:15", "8:00"}),
        ("14h à 17h30, um 9 Uhr", {"14:00", "17:30", "9:00"}),
        ("早上九点到晚上六点半", {"9:00", "18:30"}),
        ("오전 8시부터 오후 9시 반", {"8:00", "21:30"}),
        ("午後3時から10時間", {"15:00"}),
        ("十二点和二十一点", {"12:00", "21:00"}),
    ],
)
def test_times_of_day_are_read_on_one_clock(text: str, times: set[str]) -> None:
    slots = values_in(text, [], ()).slots
    assert {value for slot, value in slots if slot == "time"} == times


def test_weekdays_are_found_in_their_forms() -> None:
    assert weekdays_in("Mondays and donnerstags, в среду, 金曜に") == {0, 2, 3, 4}
    assert weekdays_in("someday") == set()
