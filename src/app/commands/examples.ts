// An example of each command, which its help ends with.
import type { Command } from 'commander'
import { addExample } from '../command-line/example.ts'

/** By the words of the command, without the program's name. */
const EXAMPLES: Readonly<Record<string, string>> = {
  serve: 'serve --data /var/lib/tollgate --listen 127.0.0.1:8080',
  usage: 'usage --account alice --since 7d --sums day',
  audit: 'audit',
  health: 'health --data /var/lib/tollgate',
  licenses: 'licenses',
}

/** Ends the help of each command that does something with its example. */
export function addExamples(command: Command, words: readonly string[] = []): void {
  for (const inner of command.commands) {
    const path = [...words, inner.name()]
    const example = EXAMPLES[path.join(' ')]
    if (example !== undefined) addExample(inner, example)
    addExamples(inner, path)
  }
}
