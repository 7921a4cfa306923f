// The preload of a counted gateway: it counts the operations of the process, and reports the counts upon each message.
import { startCounting } from './counters.ts'

const counts = startCounting()
process.on('message', () => process.send?.(counts()))
// A channel without a reader would keep the process alive.
process.channel?.unref()
