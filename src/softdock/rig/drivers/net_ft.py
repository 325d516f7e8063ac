"""ATI Net F/T: the driver of a force sensor whose records the compiled loop reads itself.

Here: the keys of its table in the rig file, and the sensor's own page against them. Records are
rig/wire/rdt.py, the page net_ft_page.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from softdock.errors import BadInput, Problem
from softdock.rig.driver import SensorDriver
from softdock.rig.drivers.emulated_sensor import SensorSettings
from softdock.rig.drivers.net_ft_page import Calibration, check_scale, fetch_calibration
from softdock.rig.schema import SensorEnd, text, whole


@dataclass(frozen=True)
class NetFtKeys(SensorEnd):
    """`[sensors.chaser]` with `driver = "ati_net_ft"`: RDT over UDP, beside the keys of every
    sensor."""

    http_port: int = whole(80, 0, 65535, "", "of its page with scale and serial; 0: not asked")
    serial: str = text("", "serial number; given, it must be what the page says")
    calibration: str = text("", "name of the calibration; given, it must be what the page says")
    filter: int = whole(0, 0, 12, "", "low-pass, number in ATI's table; 0: none")


class NetFt(SensorDriver):
    """The registration."""

    Keys = NetFtKeys
    compiled = True

    @classmethod
    def say(cls, keys: Any, which: str) -> list[str]:
        if keys.http_port:
            return []
        return [f"the {which}'s sensor is not asked for its scale: that of the file counts"]

    @classmethod
    def emulate(cls, keys: Any, settings: SensorSettings) -> SensorSettings:
        return replace(
            settings,
            http_port=keys.http_port,
            filter=keys.filter,
            serial=keys.serial or settings.serial,
            calibration=keys.calibration or settings.calibration,
        )

    @classmethod
    def ask(cls, keys: Any, which: str, file: str) -> Calibration | None:
        """What the sensor's page says; None where the file says not to ask."""
        if keys.http_port == 0:
            return None
        at = f"sensors.{which}"
        try:
            found = fetch_calibration(keys.address, keys.http_port)
            check_scale(found, keys.counts_per_N, keys.counts_per_Nm)
        except BadInput as error:
            raise BadInput(
                [
                    Problem(
                        f"{at}.{p.key}" if p.key != "sensor" else at, p.value, p.allowed, p.where
                    )
                    for p in error.problems
                ]
            ) from None
        own = (
            ("serial", keys.serial, found.serial, bool(keys.serial)),
            ("calibration", keys.calibration, found.calibration, bool(keys.calibration)),
            ("rate_Hz", keys.rate_Hz, found.rate_Hz, found.rate_Hz > 0),
            ("filter", keys.filter, found.filter, found.filter >= 0),
        )
        wrong = [
            Problem(f"{at}.{key}", given, f"{says}, what the sensor's page says", file)
            for key, given, says, known in own
            if known and given != says
        ]
        if wrong:
            raise BadInput(wrong)
        return found
