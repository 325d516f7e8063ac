"""The status word of a Net F/T record in words, bit by bit, as ATI's manual names them."""

from __future__ import annotations

from softdock.core.wire.rdt import STATUS_ERROR, STATUS_LATCHED

BITS = {
    30: "CPU or RAM error",
    29: "digital board error",
    28: "analog board error",
    27: "serial link communication error",
    26: "program memory verify error",
    25: "halted due to configuration errors",
    24: "settings validation error",
    23: "configuration incompatible with calibration",
    22: "network communication failure",
    21: "CAN communication error",
    20: "RDT communication error",
    19: "EtherNet/IP protocol failure",
    18: "DeviceNet protocol failure",
    17: "transducer saturated, or A/D error",
    16: "monitor condition latched",
    14: "watchdog timeout",
    13: "stack check error",
    12: "serial EEPROM failure",
    11: "serial flash failure",
    10: "analog board watchdog timeout",
    9: "excessive strain gage excitation current",
    8: "insufficient strain gage excitation current",
    7: "artificial analog ground out of range",
    6: "analog board power supply too high",
    5: "analog board power supply too low",
    4: "serial link data unavailable",
    3: "reference voltage or power monitoring error",
    2: "internal temperature error",
    1: "HTTP protocol failure",
}


def status_words(word: int) -> str:
    """What a status word says; the word itself in hexadecimal behind it."""
    if word == 0:
        return "no error (0x00000000)"
    said = [BITS.get(bit, f"bit {bit}") for bit in range(30, -1, -1) if word >> bit & 1]
    if word & STATUS_ERROR and not said:
        said = ["an error without its kind"]
    if word == STATUS_LATCHED:
        said = [f"{BITS[16]} (a warning)"]
    return f"{', '.join(said)} (0x{word & 0xFFFFFFFF:08x})"
