"""Judges JSON documents by a schema: validate.py SCHEMA [PART] <DOCUMENTS

PART is a reference to a part of the schema. Each document is a line, and so is what is said of it: ok, or what is wrong first.
"""

import json
import sys

import fastjsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
if len(sys.argv) > 2:
    schema["$ref"] = sys.argv[2]
validate = fastjsonschema.compile(schema)
for line in sys.stdin:
    try:
        validate(json.loads(line))
        print("ok")
    except fastjsonschema.JsonSchemaValueException as fault:
        print(fault.message)
