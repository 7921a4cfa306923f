// The ledger's writer thread, for slow disks. An entry point of its own in the compiled binary.
import { neverBlock } from '../db/busy.ts'
import { openDatabase } from '../db/open.ts'
import { commitPatiently, type Result, tryToWrite } from './failure.ts'
import type { Operation } from './operations.ts'
import { createWriter, type Writer } from './writer.ts'

declare const self: Worker

/** Messages to the thread: first the database to open, then one batch or question at a time, then the end. */
export type ToThread = { open: string } | { commit: Operation[]; wait_ms: number } | 'try' | 'close'

/** The answer to a batch. */
export interface Committed {
  results: Result[]
  /** As `Writer.sync_ms`. */
  sync_ms: number | undefined
}

let writer: Writer | undefined
let close = () => {}

/** Messages are JSON text, because that crosses in about half the time of a structured clone. */
const reply = (value: unknown) => self.postMessage(JSON.stringify(value))

self.onmessage = async (event: MessageEvent<string>) => {
  const message = JSON.parse(event.data) as ToThread
  if (message === 'close') {
    close()
    reply('closed')
  } else if (message === 'try') reply({ failure: writer && tryToWrite(writer) })
  else if ('open' in message) open(message.open)
  else if (writer) {
    const results = await commitPatiently(writer, message.commit, message.wait_ms)
    reply({ results, sync_ms: writer.sync_ms } satisfies Committed)
  }
}

function open(path: string): void {
  try {
    const db = openDatabase(path)
    neverBlock(db)
    writer = createWriter(db)
    close = () => db.close()
    reply('ready')
  } catch (error) {
    reply({ error: String(error) })
  }
}
