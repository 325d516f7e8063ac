/* A rig at the end of softdock's UDP seam, in C99 and POSIX sockets: one robot that is some cycles
 * late, in front of a spring wall at x = 0. Put your own into `move` and `measure`. docs/udp.md.
 *
 *     cc -O2 -ffp-contract=off -o peer peer.c -lm
 *     ./peer 59160 4 1000 4          port, cycles late, N/m, ms a cycle
 *     ./peer 59160 4 1000 4 clock    the same, which reports at every tick of its own clock
 *
 * Without `clock` each report waits for its command, and nothing depends on how fast that comes.
 * With it the rig is the clock: at every tick it reports, with the newest command that has come.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "softdock_seam.h"

#define MOST_LATE 64
#define SILENCE_MS 60000

static double history[MOST_LATE + 1]; /* set-points of x, by cycle */
static double first_x, first_v, cycle_s, stiffness;
static int late;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The set-point of cycle k arrives. */
static void move(long k, const double *command)
{
    if (k == 0) {
        first_x = command[SD_C_CHASER];
        first_v = command[SD_C_CHASER + 7];
    }
    history[k % (MOST_LATE + 1)] = command[SD_C_CHASER];
}

/* Where the robot is at cycle k: at the set-point of `late` cycles ago; before that, on its way. */
static double place(long k)
{
    const long j = k - late;
    return j < 0 ? first_x + first_v * ((double)j * cycle_s) : history[j % (MOST_LATE + 1)];
}

/* The report of cycle k. */
static void measure(long k, double *report)
{
    const double x = place(k), now = rint((double)k * cycle_s * 1e9);
    memset(report, 0, 8 * SD_REPORT_DOUBLES);
    report[SD_R_CYCLE] = (double)k;
    report[SD_R_NOW] = now;
    report[SD_R_PRESENT] = SD_CHASER_POSE | SD_TARGET_POSE | SD_CHASER_WRENCH | SD_CHASER_REDUCED;
    report[SD_R_CHASER_STAMP] = report[SD_R_TARGET_STAMP] = now;
    report[SD_R_CHASER] = x;
    report[SD_R_CHASER + 3] = report[SD_R_TARGET + 3] = 1.0; /* upright */
    report[SD_R_CHASER_FORCE_STAMP] = report[SD_R_CHASER_FORCE_NUMBER] = now;
    report[SD_R_CHASER_WRENCH] = x < 0.0 ? -stiffness * x : 0.0;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: %s PORT CYCLES_LATE N_PER_M CYCLE_MS [clock]\n", argv[0]);
        return 2;
    }
    late = atoi(argv[2]);
    stiffness = atof(argv[3]);
    cycle_s = 1e-3 * atof(argv[4]);
    const int ticks = argc > 5;
    if (late < 0 || late > MOST_LATE || !(cycle_s > 0.0)) {
        fprintf(stderr, "cycles late: 0 to %d; a cycle above 0\n", MOST_LATE);
        return 2;
    }
    struct sockaddr_in own = {0}, other = {0};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK); /* your network's address here */
    own.sin_port = htons((uint16_t)atoi(argv[1]));
    const int wire = socket(AF_INET, SOCK_DGRAM, 0);
    if (wire < 0 || bind(wire, (struct sockaddr *)&own, sizeof own) != 0) {
        perror("bind");
        return 2;
    }
    socklen_t size = sizeof own;
    getsockname(wire, (struct sockaddr *)&own, &size);
    printf("%d\n", ntohs(own.sin_port));
    fflush(stdout);

    sd_packet in, out = {0};
    uint8_t data[2048], bytes[SD_REPORT_BYTES];
    long done = -1, refused[4] = {0}, twice = 0, lost = 0;
    uint32_t session = 0;
    int begun = 0;
    int64_t tick_ns = 0;
    const int64_t period_ns = (int64_t)llround(1e9 * cycle_s);
    struct pollfd ready = {.fd = wire, .events = POLLIN};
    for (;;) {
        int wait_ms = SILENCE_MS;
        if (ticks && begun) {
            const int64_t left = tick_ns - now_ns();
            wait_ms = left > 0 ? (int)((left + 999999) / 1000000) : 0;
        }
        if (poll(&ready, 1, wait_ms) > 0) {
            size = sizeof other;
            const ssize_t got =
                recvfrom(wire, data, sizeof data, 0, (struct sockaddr *)&other, &size);
            const int why = got < 0 ? SD_MALFORMED : sd_read(data, (size_t)got, &in);
            if (why != SD_OK) {
                refused[why]++;
                continue;
            }
            if (in.kind == SD_START && !begun) {
                session = in.session;
                begun = 1;
                tick_ns = now_ns();
            }
            if (in.session != session || in.kind == SD_REPORT)
                continue;
            if (in.kind == SD_STOP)
                break;
            const long k = (long)in.sequence;
            if (k <= done) {
                twice++;
                if (k == done && !ticks) /* our report was lost: once more */
                    sendto(wire, bytes, SD_REPORT_BYTES, 0, (struct sockaddr *)&other, size);
                continue;
            }
            if (!ticks && k != done + 1)
                continue; /* softdock sends the one before again */
            for (long j = done + 1; j < k; j++) { /* lost: the last one holds */
                history[j % (MOST_LATE + 1)] = j > 0 ? history[(j - 1) % (MOST_LATE + 1)] : first_x;
                lost++;
            }
            move(k, in.values);
            done = k;
            out.answers = in.sequence;
            out.heard_ns = in.sent_ns;
            if (ticks)
                continue;
        } else if (!begun || !ticks) {
            fprintf(stderr, "nothing came for %d s\n", SILENCE_MS / 1000);
            return 3;
        }
        if (ticks && now_ns() < tick_ns)
            continue;
        static long cycle = -1;
        cycle++;
        tick_ns += period_ns;
        for (long j = done + 1; j <= cycle; j++) { /* not there yet: the last one holds */
            history[j % (MOST_LATE + 1)] = history[(j + MOST_LATE) % (MOST_LATE + 1)];
            lost++;
        }
        if (done < cycle)
            done = cycle;
        measure(cycle, out.values);
        out.kind = SD_REPORT;
        out.session = session;
        out.sequence = (uint32_t)cycle;
        out.sent_ns = now_ns();
        sendto(wire, bytes, sd_write(&out, bytes), 0, (struct sockaddr *)&other, size);
    }
    printf("stopped after cycle %ld: %ld commands twice, %ld lost, %ld malformed, %ld of another "
           "version, %ld with a wrong checksum\n",
           done, twice, lost, refused[SD_MALFORMED], refused[SD_WRONG_VERSION],
           refused[SD_BAD_CHECKSUM]);
    close(wire);
    return 0;
}
