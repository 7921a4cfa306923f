// Read receipts: report to the scripted upstream how much of its answer the gateway has read.
//
// When a connection breaks, the runtime's fetch discards what it has received and nobody has read yet. So an upstream that is to
// break after some bytes, and not instead of them, has to know what was read; the network cannot tell it.
import type { ServeOptions } from '../../src/app/process/serve.ts'
import { type Counter, createCounter } from './counter.ts'

type Fetch = NonNullable<ServeOptions['network']>

const HEADER = 'x-read-receipt'
const open = new Map<string, Counter>()

export interface Receipt {
  /** Of the answer that the receipt is for. */
  headers: Record<string, string>
  /** Resolves when the answer's head and this many bytes of its body were read. */
  wasRead(bytes: number): Promise<void>
  /** No more is read. */
  close(): void
}

/** A receipt for one answer. */
export function openReceipt(): Receipt {
  const id = crypto.randomUUID()
  const counter = createCounter()
  open.set(id, counter)
  return {
    headers: { [HEADER]: id },
    // The head counts as one.
    wasRead: (bytes) => counter.reaches(1 + bytes),
    close: () => void open.delete(id),
  }
}

/** The runtime's fetch, except that answers with a receipt acknowledge what is read of them. */
export const fetchWithReceipts: Fetch = async (url, init) => {
  const response = await fetch(url, init)
  const counter = open.get(response.headers.get(HEADER) ?? '')
  if (!counter || !response.body) return response
  counter.add()
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        controller.enqueue(value)
        counter.add(value.length)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead: what is acknowledged is in the gateway's hands.
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}
