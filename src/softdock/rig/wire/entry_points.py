"""What Python calls for each datagram, tick and sample: compiled entry points of the wire."""

from __future__ import annotations

from softdock.compile.jit import entry_point
from softdock.loop.spatial.motion import coasting
from softdock.rig.wire import (
    clocks,
    emulated_robot,
    emulated_sensor,
    faults,
    kuka_frame,
    links,
    rdt,
    sequences,
    telegram,
)

scan_telegram, write_telegram = (
    entry_point(telegram.scan_telegram),
    entry_point(telegram.write_telegram),
)
write_request, read_request = entry_point(rdt.write_request), entry_point(rdt.read_request)
write_record, read_record = entry_point(rdt.write_record), entry_point(rdt.read_record)
count_records, convert_counts = entry_point(rdt.count_records), entry_point(rdt.convert_counts)
follow_count, learn_step = entry_point(sequences.follow_count), entry_point(sequences.learn_step)
update_peer_clock, convert_stamp = (
    entry_point(clocks.update_peer_clock),
    entry_point(clocks.convert_stamp),
)
compute_drift_ppm = entry_point(clocks.compute_drift_ppm)
update_wall_clock, convert_arrival = (
    entry_point(clocks.update_wall_clock),
    entry_point(clocks.convert_arrival),
)
push_sample, find_sample = entry_point(links.push_sample), entry_point(links.find_sample)
may_send, accept_sender = entry_point(links.may_send), entry_point(links.accept_sender)
count_other = entry_point(links.count_other)
receive_telegram, receive_records = (
    entry_point(links.receive_telegram),
    entry_point(links.receive_records),
)
apply_faults = entry_point(faults.apply_faults)
start_robot, tick_robot = (
    entry_point(emulated_robot.start_robot),
    entry_point(emulated_robot.tick_robot),
)
receive_reply = entry_point(emulated_robot.receive_reply)
interpolate_motion = entry_point(emulated_robot.interpolate_motion)
start_sensor, take_sample = (
    entry_point(emulated_sensor.start_sensor),
    entry_point(emulated_sensor.take_sample),
)
receive_request = entry_point(emulated_sensor.receive_request)
load_frame, to_kuka_frame = (
    entry_point(kuka_frame.load_frame),
    entry_point(kuka_frame.to_kuka_frame),
)
coast = entry_point(coasting)
