"""The accesses of a JSON report by the sectors that they move in vain: python3 waste.py REPORT"""
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    report = json.load(file)
for kernel in report['kernels']:
    known = [a for a in kernel['accesses'] if 'sectors' in a]
    for a in sorted(known, key=lambda a: a['idealSectors'] - a['sectors']):
        print(f'{kernel["name"]}:{a["line"]}: {a["expression"]}: {a["sectors"]} sectors, ideal {a["idealSectors"]} ({a["confidence"]})')
