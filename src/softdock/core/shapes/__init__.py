"""The vocabulary of contact, below the stages: what a contact pair is, which laws and shapes there
are, and where their numbers stand. Every stage may import it.

law.py, shape.py   what a law and a shape of the target say of themselves
spring_damper.py, hunt_crossley.py, table.py   the laws; laws.py lists them
wall.py, sphere.py, cone.py                    the shapes; models.py lists them
keys.py            PAIR: what a user writes of a pair, and where it stands in the parameter vector
pair.py            a prepared pair: its structure, and where it stands in `mem`
prepare.py         from the vector to `mem`
"""
