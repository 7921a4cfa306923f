"""Imports a package once, and runs the program of each line of standard input in a child that has it already."""

import importlib
import json
import os
import runpy
import sys


def run(program, arguments, env, cwd):
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = [program, *arguments]
    sys.path.insert(0, os.path.dirname(program))
    runpy.run_path(program, run_name="__main__")


importlib.import_module(sys.argv[1])
print("warm", flush=True)
for line in sys.stdin:
    job = json.loads(line)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            run(**job)
            status = 0
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    print(json.dumps({"status": os.waitstatus_to_exitcode(ended)}), flush=True)
