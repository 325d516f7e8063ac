/* A bare echo of telegrams, in C: what an answer costs on this machine at least.
 *
 *   cc -O2 -o echo echo.c
 *   echo FILE PRIORITY PORT [PORT]
 *
 * Answers the newest telegram of each port with itself. Until SIGTERM; then writes into FILE the time
 * of each answer, from the return of the receiving call to that of the sending one (int64, ns), and
 * prints how many telegrams it heard, answered, and missed by their IPOC (steps of 4). SCHED_FIFO and
 * locked memory, where they are granted. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#define MOST 2000000
static int64_t took[MOST];
static volatile sig_atomic_t over;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void end(int number) { (void)number, over = 1; }

int main(int argc, char **argv)
{
    struct sched_param fifo = {.sched_priority = argc > 2 ? atoi(argv[2]) : 0};
    struct pollfd heard[2];
    long long last[2] = {0, 0}, missed = 0, received = 0, answers = 0;
    int ports = argc - 3, i;
    FILE *file;
    if (ports < 1 || ports > 2) return fprintf(stderr, "echo FILE PRIORITY PORT [PORT]\n"), 2;
    signal(SIGTERM, end), signal(SIGINT, SIG_IGN);
    for (i = 0; i < ports; i++) {
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[3 + i]))};
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        heard[i].fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), heard[i].events = POLLIN;
        if (bind(heard[i].fd, (struct sockaddr *)&at, sizeof at)) return perror("bind"), 2;
    }
    mlockall(MCL_CURRENT | MCL_FUTURE);
    sched_setscheduler(0, SCHED_FIFO, &fifo);
    printf("ready\n"), fflush(stdout);
    while (!over) {
        if (poll(heard, ports, 100) <= 0) continue;
        for (i = 0; i < ports; i++) {
            char data[2048], newest[2048], *ipoc;
            struct sockaddr_in from;
            socklen_t size = sizeof from;
            long got, length = 0;
            int64_t begun = 0;
            if (!(heard[i].revents & POLLIN)) continue;
            while ((got = recvfrom(heard[i].fd, data, sizeof data - 1, 0, (struct sockaddr *)&from, &size)) > 0) {
                begun = now_ns(), received++, length = got, data[got] = 0, memcpy(newest, data, got);
                if (!(ipoc = strstr(data, "<IPOC>"))) continue;
                if (last[i] && atoll(ipoc + 6) > last[i] + 4) missed += (atoll(ipoc + 6) - last[i]) / 4 - 1;
                last[i] = atoll(ipoc + 6);
            }
            if (!length) continue;
            sendto(heard[i].fd, newest, length, 0, (struct sockaddr *)&from, sizeof from);
            took[answers++ % MOST] = now_ns() - begun;
        }
    }
    if (!(file = fopen(argv[1], "wb"))) return perror(argv[1]), 2;
    fwrite(took, sizeof *took, answers < MOST ? answers : MOST, file), fclose(file);
    printf("{\"received\": %lld, \"answered\": %lld, \"missed\": %lld}\n", received, answers, missed);
    return 0;
}
