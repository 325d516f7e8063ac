/* The UDP seam of softdock, version 1: the rig's end. C99, this header alone. See docs/udp.md.
 *
 * Bytes are little-endian and doubles IEEE 754, as on x86 and ARM; another machine must swap.
 * A command holds SD_COMMAND_DOUBLES doubles, a report SD_REPORT_DOUBLES; SD_C_... and SD_R_... are
 * places in them. A motion is p[3] m, q[4] w x y z, v[3] m/s, w[3] rad/s: pose and twist of the
 * mock-up's centre of mass, world axes (docs/conventions.md). A wrench is force[3] N, torque[3] Nm.
 */
#ifndef SOFTDOCK_SEAM_H
#define SOFTDOCK_SEAM_H

#include <stdint.h>
#include <string.h>

#define SD_VERSION 1
#define SD_START 1   /* be at these set-points, at their speed, at t = 0; report when t = 0 */
#define SD_COMMAND 2 /* the set-points stamped t_{k+1} */
#define SD_STOP 3    /* come to rest; the first double says why: 0, the run has completed */
#define SD_REPORT 4

#define SD_COMMAND_DOUBLES 28
#define SD_REPORT_DOUBLES 54
#define SD_HEAD_BYTES 40
#define SD_TAIL_BYTES 8
#define SD_COMMAND_BYTES (SD_HEAD_BYTES + 8 * SD_COMMAND_DOUBLES + SD_TAIL_BYTES)
#define SD_REPORT_BYTES (SD_HEAD_BYTES + 8 * SD_REPORT_DOUBLES + SD_TAIL_BYTES)

/* places in a command */
#define SD_C_CYCLE 0  /* k + 1 */
#define SD_C_STAMP 1  /* ns since t = 0 */
#define SD_C_CHASER 2 /* motion, 13 */
#define SD_C_TARGET 15

/* places in a report */
#define SD_R_CYCLE 0
#define SD_R_NOW 1    /* ns since t = 0 */
#define SD_R_LATE 2   /* s, by how much the report came after its instant */
#define SD_R_LOST 3   /* cycles lost since the report before */
#define SD_R_STATUS 4 /* SD_LATE, ... */
#define SD_R_PRESENT 5 /* SD_CHASER_POSE, ...: what is not there means nothing */
#define SD_R_CHASER_STAMP 6 /* ns since t = 0, when the pose was taken */
#define SD_R_CHASER_AGE 7   /* s, from then to `now` */
#define SD_R_CHASER 8       /* motion */
#define SD_R_TARGET_STAMP 21
#define SD_R_TARGET_AGE 22
#define SD_R_TARGET 23
#define SD_R_CHASER_FORCE_STAMP 36
#define SD_R_CHASER_FORCE_AGE 37
#define SD_R_CHASER_FORCE_NUMBER 38 /* of the sample: the same number is the same sample */
#define SD_R_CHASER_WRENCH 39       /* raw: sensor axes, about its origin, tool and all */
#define SD_R_TARGET_FORCE_STAMP 45
#define SD_R_TARGET_FORCE_AGE 46
#define SD_R_TARGET_FORCE_NUMBER 47
#define SD_R_TARGET_WRENCH 48

/* bits of status; the last three end the run */
#define SD_LATE 1
#define SD_LOST 2
#define SD_SATURATED 4
#define SD_ROBOT_FAULT 8
#define SD_SENSOR_FAULT 16
#define SD_STOP_ASKED 32
/* bits of present */
#define SD_CHASER_POSE 1
#define SD_CHASER_TWIST 2
#define SD_TARGET_POSE 4
#define SD_TARGET_TWIST 8
#define SD_CHASER_WRENCH 16
#define SD_TARGET_WRENCH 32
#define SD_CHASER_REDUCED 64 /* the wrench is of the contact alone: centre of mass, world axes */
#define SD_TARGET_REDUCED 128

typedef struct {
    uint16_t kind;
    uint32_t session, sequence, answers;
    int64_t sent_ns, heard_ns;
    double values[SD_REPORT_DOUBLES]; /* of a command the first 28 */
} sd_packet;

/* what sd_read returns */
#define SD_OK 0
#define SD_MALFORMED 1
#define SD_WRONG_VERSION 2
#define SD_BAD_CHECKSUM 3

/* CRC-32 of Ethernet and zlib: polynomial 0xEDB88320, begun with and closed by a complement. */
static uint32_t sd_crc32(const uint8_t *data, size_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
    }
    return ~crc;
}

/* A packet into `out` (SD_REPORT_BYTES of room): its size. */
static size_t sd_write(const sd_packet *p, uint8_t *out)
{
    const uint32_t number = p->kind == SD_REPORT ? SD_REPORT_DOUBLES : SD_COMMAND_DOUBLES;
    const uint16_t version = SD_VERSION;
    const size_t body = SD_HEAD_BYTES + 8 * (size_t)number;
    const uint32_t zero = 0;
    memcpy(out, "SDSM", 4);
    memcpy(out + 4, &version, 2);
    memcpy(out + 6, &p->kind, 2);
    memcpy(out + 8, &p->session, 4);
    memcpy(out + 12, &p->sequence, 4);
    memcpy(out + 16, &p->answers, 4);
    memcpy(out + 20, &number, 4);
    memcpy(out + 24, &p->sent_ns, 8);
    memcpy(out + 32, &p->heard_ns, 8);
    memcpy(out + SD_HEAD_BYTES, p->values, 8 * (size_t)number);
    const uint32_t crc = sd_crc32(out, body);
    memcpy(out + body, &crc, 4);
    memcpy(out + body + 4, &zero, 4);
    return body + SD_TAIL_BYTES;
}

/* A datagram into `p`: SD_OK, or why it is none; `p` means nothing then. */
static int sd_read(const uint8_t *data, size_t size, sd_packet *p)
{
    uint16_t version;
    uint32_t number, crc;
    if (size < SD_HEAD_BYTES + SD_TAIL_BYTES || memcmp(data, "SDSM", 4) != 0)
        return SD_MALFORMED;
    memcpy(&version, data + 4, 2);
    if (version != SD_VERSION)
        return SD_WRONG_VERSION;
    const size_t body = size - SD_TAIL_BYTES;
    memcpy(&crc, data + body, 4);
    if (crc != sd_crc32(data, body))
        return SD_BAD_CHECKSUM;
    memcpy(&p->kind, data + 6, 2);
    memcpy(&p->session, data + 8, 4);
    memcpy(&p->sequence, data + 12, 4);
    memcpy(&p->answers, data + 16, 4);
    memcpy(&number, data + 20, 4);
    memcpy(&p->sent_ns, data + 24, 8);
    memcpy(&p->heard_ns, data + 32, 8);
    if (p->kind < SD_START || p->kind > SD_REPORT)
        return SD_MALFORMED;
    if (number != (p->kind == SD_REPORT ? SD_REPORT_DOUBLES : SD_COMMAND_DOUBLES))
        return SD_MALFORMED;
    if (body != SD_HEAD_BYTES + 8 * (size_t)number)
        return SD_MALFORMED;
    memcpy(p->values, data + SD_HEAD_BYTES, 8 * (size_t)number);
    return SD_OK;
}

#endif
