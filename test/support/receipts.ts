// Read receipts: report to the scripted upstream how much of its answer the gateway has read.
//
// When a connection breaks, the runtime's fetch discards received bytes that nobody has read yet. So an upstream that breaks after
// some bytes, and not instead of them, must know that they were read, which the network does not report.
import type { ServeOptions } from '../../src/app/process/serve.ts'
import { type Counter, createCounter } from './counter.ts'

type Fetch = NonNullable<ServeOptions['network']>

const HEADER = 'x-read-receipt'
const open = new Map<string, Counter>()

export interface Receipt {
  /** The headers of the answer that the receipt is for. */
  headers: Record<string, string>
  /** Resolves when the answer's head and this many bytes of its body were read. */
  wasRead(bytes: number): Promise<void>
  /** Ends the receipt. */
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

/** The runtime's fetch, except that answers with a receipt acknowledge the bytes that were read. */
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
    // Nothing is read ahead: the gateway has all acknowledged bytes.
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}
