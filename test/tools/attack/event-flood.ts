// A flooding program beside which attacks can measure: a provider of events without a pause, or their caller.
//
//   bun test/tools/attack/event-flood.ts provide <how many events | how many MB, gzip>
//   bun test/tools/attack/event-flood.ts take <url> <key> <body>
import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'

const [, , role = '', ...args] = process.argv

/** The shortest events of each protocol, and their ends; the provider's path begins with its name. */
const EVENTS: Readonly<Record<string, readonly [event: string, end: string]>> = {
  gemini: [
    '{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}',
    '{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":9}}',
  ],
  openai: [
    '{"choices":[{"index":0,"delta":{"content":"a"}}]}',
    '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":9}}',
  ],
  responses: [
    '{"type":"response.output_text.delta","output_index":0,"delta":"a"}',
    '{"type":"response.completed","response":{"output":[],"usage":{"input_tokens":1,"output_tokens":9}}}',
  ],
  anthropic: [
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}',
    '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":1,"output_tokens":9}}',
  ],
}

function bodyOf(protocol: string, amount: string): { bytes: Buffer; encoding: string } {
  const [event, end] = EVENTS[protocol] ?? ['{}', '{}']
  const framed = `data: ${event}\n\n`
  const compressed = amount.endsWith('MB')
  const count = compressed
    ? Math.ceil((Number.parseInt(amount, 10) * 1024 * 1024) / framed.length)
    : Number(amount)
  const bytes = Buffer.from(`${framed.repeat(count)}data: ${end}\n\n`)
  return compressed
    ? { bytes: gzipSync(bytes), encoding: 'content-encoding: gzip\r\n' }
    : { bytes, encoding: '' }
}

function provide(amount: string): void {
  const bodies = new Map(Object.keys(EVENTS).map((protocol) => [protocol, bodyOf(protocol, amount)]))
  const server = createServer((socket) => {
    let request = ''
    // The gateway may close the connection at any time.
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      request += bytes.toString('latin1')
      const protocol = /^POST \/([a-z]+)/.exec(request)?.[1]
      const body = bodies.get(protocol ?? '')
      if (!body || !request.includes('\r\n\r\n')) return
      request = ''
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${body.encoding}connection: close\r\n\r\n`,
      )
      socket.end(body.bytes)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
  })
}

/** Prints the status and the number of received bytes. */
async function take(url: string, key: string, body: string): Promise<void> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'anthropic-version': '2023-06-01',
  }
  const response = await fetch(url, { method: 'POST', headers, body })
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.length
  process.stdout.write(`${response.status} ${bytes}\n`)
}

if (role === 'provide') provide(args[0] ?? '')
else await take(args[0] ?? '', args[1] ?? '', args[2] ?? '')
