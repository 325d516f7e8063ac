"""A robot that is an arm of six joints, perhaps on a rail or a turntable: `model = "arm"`.

    set-point --inverse, once a cycle--> joint set-point --delay--> motors --elastic--> links
                                                                                  --> mock-up

`set_points.py` turns every set-point into joints on a followed branch, `motors.py` moves the joints
(at once, with a lag, or within limits), `tip.py` finds the mock-up from the joints, `links.py` lets
the links give way to the contact, `start.py` chooses the branch. `layout.py` says where it stands.
"""
