// The example that the help of a command ends with.
import type { Command } from 'commander'

/** @param example without the program's name: `refusals --since 24h` */
export const addExample = (command: Command, example: string): Command =>
  command.addHelpText('after', `\nExample:\n  $ tollgate ${example}`)
