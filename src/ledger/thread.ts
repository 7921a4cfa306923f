// The ledger's writer thread, for slow disks. An entry point of its own in the compiled binary.
import { openDatabase } from '../db/open.ts'
import { commitBatch } from './failure.ts'
import type { Operation } from './operations.ts'
import { createWriter, type Writer } from './writer.ts'

declare const self: Worker

/** Messages to the thread: first the database to open, then one batch at a time, then the end. */
export type ToThread = { open: string } | { commit: Operation[] } | { close: true }

let writer: Writer | undefined
let close = () => {}

/** Messages are JSON text, because that crosses in about half the time of a structured clone. */
const reply = (value: unknown) => self.postMessage(JSON.stringify(value))

self.onmessage = (event: MessageEvent<string>) => {
  const message = JSON.parse(event.data) as ToThread
  if ('commit' in message && writer) reply(commitBatch(writer, message.commit))
  else if ('open' in message) open(message.open)
  else {
    close()
    reply('closed')
  }
}

function open(path: string): void {
  try {
    const db = openDatabase(path)
    writer = createWriter(db)
    close = () => db.close()
    reply('ready')
  } catch (error) {
    reply({ error: String(error) })
  }
}
