"""A process that plays at random, tells its probabilities, and imports nothing of sabacc-env.

sabacc watch "process:python3 agents/examples/random_agent.py" tight
"""

import json
import random
import sys


def main() -> None:
    """Answer every request until standard input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        match message["type"]:
            case "hello":
                answer = {"type": "hello", "protocol": 1, "name": "random", "probabilities": True}
            case "act":
                action = random.Random(message["seed"]).choice(message["legal"])
                answer = {"id": message["id"], "action": action}
            case "probabilities":
                share = 1 / len(message["legal"])
                shares = dict.fromkeys(message["legal"], share)
                answer = {"id": message["id"], "probabilities": shares}
            case _:  # "reset" and "restart" need no answer
                continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
