// Loaded before a gateway's own program: counts what the process does, and tells the counts whenever it is asked.
import { startCounting } from './counters.ts'

const counts = startCounting()
process.on('message', () => process.send?.(counts()))
// A channel that nobody reads from would keep the process alive at its end.
process.channel?.unref()
