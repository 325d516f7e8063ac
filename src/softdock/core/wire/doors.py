"""The doors of the wire: what Python calls for each datagram, tick and sample."""

from __future__ import annotations

from softdock.core.machine.compiled import door
from softdock.core.spatial.motion import coasting
from softdock.core.wire import (
    emulated_robot,
    emulated_sensor,
    faults,
    kuka_frame,
    links,
    peer_clock,
    rdt,
    robot_motion,
    samples,
    scanner,
    senders,
    sequences,
    telegram,
    wall_clock,
)

scan = door(scanner.scan)
write = door(telegram.write)
write_request, read_request = door(rdt.write_request), door(rdt.read_request)
write_record, read_record = door(rdt.write_record), door(rdt.read_record)
count_records, wrench_of = door(rdt.count_records), door(rdt.wrench_of)
follow, learn_step = door(sequences.follow), door(sequences.learn_step)
hear_clock, on_our_clock = door(peer_clock.hear_clock), door(peer_clock.on_our_clock)
drift_ppm = door(peer_clock.drift_ppm)
push_sample, newest_not_after = door(samples.push_sample), door(samples.newest_not_after)
disturb = door(faults.disturb)
start_robot, tick = door(emulated_robot.start_robot), door(emulated_robot.tick)
hear_reply, motion_at_instant = (
    door(emulated_robot.hear_reply),
    door(robot_motion.motion_at_instant),
)
start_sensor, sample = door(emulated_sensor.start_sensor), door(emulated_sensor.sample)
hear_request = door(emulated_sensor.hear_request)
load_frame, frame_of = door(kuka_frame.load_frame), door(kuka_frame.frame_of)
coast = door(coasting)
look_at_wall, arrived_at = door(wall_clock.look_at_wall), door(wall_clock.arrived_at)
may_send, has_sent = door(senders.may_send), door(senders.has_sent)
count_other = door(senders.count_other)
hear_rob, hear_records = door(links.hear_rob), door(links.hear_records)
