/* Two robot controllers with RSI and a Net F/T sensor in front of a spring wall, written from the
 * public protocols alone: nothing of softdock is used. It injects one fault and says at the end what
 * it saw of the answers.
 *
 *   cc -O2 -o rig_peer rig_peer.c -lm
 *   rig_peer CHASER_PORT TARGET_PORT SENSOR_PORT [NAME=VALUE ...]
 *
 * Names: the faults of `names` below with their size; `from` is when they begin, in s from the first
 * answer, -1 (default): in the first contact, `after` s behind its beginning; `for`: how long [s].
 * Prints "ready", "contact" in the first contact, and at its end (SIGTERM, or 1.5 s without an
 * answer) one line of JSON. One thread, absolute instants, SCHED_FIFO 90 where it is granted.
 *
 * A robot: RIst every 4 ms; the answer with the IPOC of the newest telegram, before the next one, is
 * the correction of the next cycle (else the last one holds: HOLDON = 1, and Delay counts); after
 * `timeout` late ones RSI ends. It moves straight from one correction to the next, `delay` later.
 * A sensor: 1000 records a second, each of an instant 0.1 ms before a tick, from where the robots are
 * then. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST 120000 /* cycles */
#define CYCLE 4000000LL
#define SAMPLE 1000000LL
#define MS 1000000.0
static const double stiffness = 1000.0, mass = 63.0, counts = 1e6;

/* every name and its value */
static const char *names[] = {
    "loss", "double", "reorder", "bits", "sensor_bits", "replay", "ipoc", "late_tick", "jump",
    "silent", "gone", "sensor_silent", "sensor_gone", "frozen", "saturated", "offset", "spike",
    "drift", "count", "stop_input", "foreign", "foreign_off", "forged", "from", "after", "for",
    "timeout", "delay", "seed", NULL};
enum { LOSS, TWICE, REORDER, BITS, SENSOR_BITS, REPLAY, IPOC, LATE_TICK, JUMP, SILENT, GONE,
       SENSOR_SILENT, SENSOR_GONE, FROZEN, SATURATED, OFFSET, SPIKE, DRIFT, COUNT, STOP_INPUT,
       FOREIGN, FOREIGN_OFF, FORGED, FROM, AFTER, FOR, TIMEOUT, DELAY, SEED, NAMES };
static double given[NAMES];

struct robot {
    int socket, alive;
    struct sockaddr_in pc;
    double start[3]; /* mm */
    double x[MOST][3]; /* corrections by cycle, mm */
    char valid[MOST]; /* cycles whose answer came in time */
    long cycle;
    long long origin; /* of cycle 0 */
    long late, answered, strange; /* strange: answers with another IPOC */
    char held[1500]; /* a telegram that is overtaken */
    int held_size;
    char past[50][1500];
    int past_size[50];
    long long sent_ns;
};
static struct robot robots[2];
static float trip_us[2 * MOST];
static long trips;
static long long first_answer, contact_ns, begun_ns, stood_ns; /* stood: this program, where it should have sent */
static volatile sig_atomic_t over;
static int sensor, other, streaming, has_client, foreign_sent, forged_sent, spiked;
static struct sockaddr_in client;
static uint32_t rdt_sequence, ft_sequence = 5000000;
static int32_t kept[6], has_kept;
static long foreign_answers;
static uint64_t chance = 88172645463325252ULL;

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static double uniform(void)
{
    chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
    return (double)(chance >> 11) / 9007199254740992.0;
}

/* whether the fault acts at an instant */
static int acts(long long t)
{
    double at;
    if (!first_answer || (given[FROM] < 0 && !contact_ns)) return 0;
    at = given[FROM] < 0 ? (t - contact_ns) * 1e-9 - given[AFTER] : (t - first_answer) * 1e-9 - given[FROM];
    return at >= 0 && at < given[FOR];
}

static void where(const struct robot *r, long long t, double p[3])
{
    double s = (double)(t - r->origin) / CYCLE - given[DELAY] * MS / CYCLE, u;
    long k;
    int i;
    if (s < 0) s = 0;
    if (s > r->cycle) s = r->cycle;
    k = (long)s, u = s - k;
    for (i = 0; i < 3; i++)
        p[i] = r->start[i] + (1 - u) * r->x[k][i] + u * r->x[k < r->cycle ? k + 1 : k][i];
}

static void flip(char *data, int size, double share)
{
    if (uniform() < share) {
        long bit = (long)(uniform() * 8 * size);
        data[bit / 8] ^= (char)(1 << bit % 8);
    }
}

static void put(int socket, const char *data, int size, const struct sockaddr_in *to)
{
    sendto(socket, data, size, 0, (const struct sockaddr *)to, sizeof *to);
}

/* to the PC, with what the line does to it */
static void send_on(struct robot *r, char *data, int size, long long t)
{
    int i = r->cycle % 50, on = acts(t);
    memcpy(r->past[i], data, size), r->past_size[i] = size;
    if (on && uniform() < given[LOSS]) return;
    if (on) flip(data, size, given[BITS]);
    if (on && !r->held_size && uniform() < given[REORDER]) {
        memcpy(r->held, data, size), r->held_size = size;
        return;
    }
    put(r->socket, data, size, &r->pc);
    if (on && uniform() < given[TWICE]) put(r->socket, data, size, &r->pc);
    if (r->held_size) put(r->socket, r->held, r->held_size, &r->pc), r->held_size = 0;
}

static int telegram(const struct robot *r, long cycle, long long t, double off, char *out)
{
    double p[3], jump = acts(t) && r == robots ? given[JUMP] : 0;
    const double *x = r->x[cycle], *s = r->start;
    where(r, t, p);
    return sprintf(out,
                   "<Rob Type=\"KUKA\"><RIst X=\"%.6f\" Y=\"%.6f\" Z=\"%.6f\" A=\"0.0\" B=\"0.0\" C=\"0.0\"/>"
                   "<RSol X=\"%.6f\" Y=\"%.6f\" Z=\"%.6f\" A=\"0.0\" B=\"0.0\" C=\"0.0\"/>"
                   "<Delay D=\"%ld\"/><DiL>%d</DiL><IPOC>%lld</IPOC></Rob>",
                   p[0] + jump + off, p[1], p[2], s[0] + x[0], s[1] + x[1], s[2] + x[2], r->late,
                   acts(t) && r == robots ? (int)given[STOP_INPUT] : 0,
                   123645634563LL + 4 * cycle + (acts(t) && r == robots ? (long long)given[IPOC] : 0));
}

static long long tick_at(const struct robot *r, long cycle)
{
    long long t = r->origin + cycle * CYCLE;
    return r == robots && acts(t) ? t + (long long)(given[LATE_TICK] * MS) : t;
}

static void tick(struct robot *r)
{
    char data[1500];
    long long t = tick_at(r, ++r->cycle);
    int which = r - robots, i, on = acts(t);
    if (!r->valid[r->cycle]) {
        memcpy(r->x[r->cycle], r->x[r->cycle - 1], sizeof r->x[0]);
        if (first_answer && ++r->late >= given[TIMEOUT]) r->alive = 0;
    }
    if (!r->alive) return;
    if (on && given[GONE] == which + 1) {
        close(r->socket), r->socket = -1, r->alive = 0;
        return;
    }
    if (on && given[SILENT] == which + 1) return;
    if (on && given[REPLAY] > 0) {
        for (i = 0; i < given[REPLAY] && i < 50; i++)
            put(r->socket, r->past[(r->cycle + i) % 50], r->past_size[(r->cycle + i) % 50], &r->pc);
        if (which) given[REPLAY] = 0;
    }
    i = telegram(r, r->cycle, t, 0, data);
    r->sent_ns = now_ns();
    if (first_answer && r->sent_ns - t > stood_ns) stood_ns = r->sent_ns - t;
    send_on(r, data, i, t);
}

/* an answer of softdock to a robot */
static void hear(struct robot *r)
{
    char data[2048], *ipoc, *x;
    long long t = now_ns(), stamp;
    int i, size = recv(r->socket, data, sizeof data - 1, 0);
    if (size <= 0 || !r->alive) return;
    if (acts(t) && uniform() < given[LOSS]) return;
    data[size] = 0;
    ipoc = strstr(data, "<IPOC>"), x = strstr(data, "<RKorr ");
    stamp = ipoc ? atoll(ipoc + 6) - (acts(r->origin + r->cycle * CYCLE) && r == robots ? (long long)given[IPOC] : 0) : 0;
    if (!x || strncmp(data, "<Sen Type=\"softdock\"", 20) || stamp != 123645634563LL + 4 * r->cycle || r->valid[r->cycle + 1]) {
        r->strange++;
        return;
    }
    for (i = 0; i < 3; i++) {
        char key[] = " X=\"";
        key[1] = "XYZ"[i];
        r->x[r->cycle + 1][i] = (x = strstr(x, key)) ? atof(x + 4) : NAN;
    }
    r->valid[r->cycle + 1] = 1, r->answered++;
    if (trips < 2 * MOST) trip_us[trips++] = (t - r->sent_ns) * 1e-3f;
    if (!first_answer) first_answer = t;
}

static void word(char *out, uint32_t value)
{
    value = htonl(value);
    memcpy(out, &value, 4);
}

static int record(char *out, uint32_t status, const int32_t values[6])
{
    int i;
    word(out, rdt_sequence), word(out + 4, ft_sequence), word(out + 8, status);
    for (i = 0; i < 6; i++) word(out + 12 + 4 * i, (uint32_t)values[i]);
    return 36;
}

static void sample(long long t)
{
    double a[3], b[3], force;
    int32_t values[6] = {0};
    char data[36];
    int i, on = acts(t), size;
    ft_sequence++;
    where(&robots[0], t, a), where(&robots[1], t, b);
    force = stiffness * 1e-3 * fmax(0, b[0] - a[0]);
    if (force > 0.5 && !contact_ns) contact_ns = t, printf("contact\n"), fflush(stdout);
    if (!has_client || !streaming || (on && given[SENSOR_SILENT])) return;
    if (on && given[SENSOR_GONE]) {
        close(sensor), sensor = -1, streaming = 0;
        return;
    }
    if (on) force += given[OFFSET];
    if (on && given[SPIKE] && !spiked && (t + 100000 - begun_ns) % CYCLE == 0) force += given[SPIKE], spiked = 1;
    if (first_answer) force += given[DRIFT] * (t - first_answer) * 1e-9;
    values[0] = (int32_t)lrint(force * counts);
    if (on && given[FROZEN]) {
        if (!has_kept) memcpy(kept, values, sizeof kept), has_kept = 1;
        memcpy(values, kept, sizeof kept);
    }
    if (on && given[COUNT]) ft_sequence += (int)given[COUNT], given[COUNT] = 0;
    rdt_sequence++;
    size = record(data, on && given[SATURATED] ? 0x80020000u : 0, values);
    if (on && uniform() < given[LOSS]) return;
    if (on) flip(data, size, given[SENSOR_BITS]);
    put(sensor, data, size, &client);
    if (on && uniform() < given[TWICE]) put(sensor, data, size, &client);
    for (i = 0; on && i < 2 && forged_sent < given[FORGED]; i++, forged_sent++) {
        values[0] = 500000000;
        put(other, data, record(data, 0, values), &client);
    }
}

static void hear_request(void)
{
    unsigned char data[64];
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    if (recvfrom(sensor, data, sizeof data, 0, (struct sockaddr *)&from, &size) != 8) return;
    if (data[0] != 0x12 || data[1] != 0x34) return;
    if (data[3] == 2) streaming = has_client = 1, client = from, rdt_sequence = 0;
    if (data[3] == 0) streaming = 0;
}

/* another program that sends as the chaser's robot, a millisecond before it */
static void meddle(void)
{
    char data[1500];
    struct robot *r = &robots[0];
    int size = telegram(r, r->cycle + 1, tick_at(r, r->cycle + 1), given[FOREIGN_OFF], data);
    if (r->alive && acts(now_ns()) && foreign_sent < given[FOREIGN]) foreign_sent++, put(other, data, size, &r->pc);
}

static int listen_at(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    int made = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(made, (struct sockaddr *)&at, sizeof at)) perror("bind"), exit(2);
    return made;
}

static int by_size(const void *a, const void *b)
{
    return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

static void report(void)
{
    double step = 0, most = 0, moved = 0;
    int which, i, rest = 1;
    for (which = 0; which < 2; which++) {
        struct robot *r = &robots[which];
        long k, last = -1;
        for (k = 1; k <= r->cycle; k++) {
            double d = 0;
            if (!r->valid[k]) continue;
            for (i = 0; last >= 0 && i < 3; i++) d += pow(r->x[k][i] - r->x[last][i], 2);
            step = fmax(step, sqrt(d));
            if (!which && last >= 0) most = fmax(most, 0.5e3 * mass * d * 1e-6 / pow((k - last) * CYCLE * 1e-9, 2));
            moved = fmax(moved, fabs(r->x[k][0]));
            last = k;
        }
        for (k = r->cycle - 25; k > 0 && k < r->cycle; k++)
            if (fabs(r->x[k][0] - r->x[k + 1][0]) > 1e-6) rest = 0;
    }
    qsort(trip_us, trips, sizeof *trip_us, by_size);
    printf("{\"answered\": [%ld, %ld], \"late\": [%ld, %ld], \"strange\": [%ld, %ld], \"ended\": [%d, %d], "
           "\"largest_step_mm\": %.4f, \"kinetic_mJ\": %.3f, \"moved_mm\": %.3f, \"rest\": %s, "
           "\"foreign_answers\": %ld, \"stood_ms\": %.3f, \"trip_p50_us\": %.1f, \"trip_p99_us\": %.1f}\n",
           robots[0].answered, robots[1].answered, robots[0].late, robots[1].late, robots[0].strange,
           robots[1].strange, !robots[0].alive, !robots[1].alive, step, most, moved,
           rest ? "true" : "false", foreign_answers, stood_ns / MS, trips ? trip_us[trips / 2] : 0.0,
           trips ? trip_us[trips * 99 / 100] : 0.0);
}

static void end(int number) { (void)number, over = 1; }

int main(int argc, char **argv)
{
    struct sched_param fifo = {.sched_priority = 90};
    long long samples = 0, last = 0;
    long answered = 0;
    int i, k;
    given[FROM] = -1, given[AFTER] = 0.1, given[FOR] = 1e9, given[TIMEOUT] = 100, given[DELAY] = 16;
    if (argc < 4) return fprintf(stderr, "rig_peer CHASER_PORT TARGET_PORT SENSOR_PORT [NAME=VALUE ...]\n"), 2;
    for (i = 4; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        for (k = 0; k < NAMES && (!equals || strncmp(argv[i], names[k], equals - argv[i]) || names[k][equals - argv[i]]); k++) ;
        if (k == NAMES) return fprintf(stderr, "unknown: %s\n", argv[i]), 2;
        given[k] = atof(equals + 1);
    }
    chance += (uint64_t)given[SEED] * 2654435761u;
    for (i = 0; i < 20; i++) uniform();
    signal(SIGTERM, end), signal(SIGINT, end), signal(SIGPIPE, SIG_IGN);
    sched_setscheduler(0, SCHED_FIFO, &fifo);
    sensor = listen_at(atoi(argv[3])), other = listen_at(0);
    begun_ns = now_ns() + 20000000;
    for (i = 0; i < 2; i++) {
        robots[i].alive = 1, robots[i].start[0] = i ? 0 : 10, robots[i].socket = listen_at(0);
        robots[i].pc = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(atoi(argv[1 + i]))};
        robots[i].pc.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        robots[i].origin = begun_ns + i * 1700000;
    }
    printf("ready\n"), fflush(stdout);
    while (!over && robots[0].cycle < MOST - 2 && robots[1].cycle < MOST - 2) {
        long long t = now_ns(), wait, next[4];
        struct timespec left;
        struct pollfd heard[4] = {{.fd = robots[0].socket, .events = POLLIN}, {.fd = robots[1].socket, .events = POLLIN},
                                  {.fd = sensor, .events = POLLIN}, {.fd = other, .events = POLLIN}};
        next[0] = tick_at(&robots[0], robots[0].cycle + 1), next[1] = tick_at(&robots[1], robots[1].cycle + 1);
        next[2] = begun_ns + samples * SAMPLE - 100000;
        next[3] = foreign_sent < given[FOREIGN] && last != next[0] ? next[0] - 1000000 : INT64_MAX;
        for (wait = next[0], i = 1, k = 0; i < 4; i++)
            if (next[i] < wait) wait = next[i], k = i;
        if (wait <= t) {
            if (k < 2) tick(&robots[k]);
            else if (k == 2) samples++, sample(next[2]);
            else last = next[0], meddle();
            continue;
        }
        left.tv_sec = (wait - t) / 1000000000LL, left.tv_nsec = (wait - t) % 1000000000LL;
        if (ppoll(heard, 4, &left, NULL) > 0) {
            char data[2048];
            for (i = 0; i < 2; i++)
                if (heard[i].revents & POLLIN) hear(&robots[i]);
            if (heard[2].revents & POLLIN) hear_request();
            if (heard[3].revents & POLLIN && recv(other, data, sizeof data, 0) > 0) foreign_answers++;
        }
        if (first_answer) {
            static long long since;
            if (robots[0].answered + robots[1].answered != answered) answered = robots[0].answered + robots[1].answered, since = t;
            if (since && t - since > 1500000000LL) break;
        }
    }
    report();
    return 0;
}
