// The forwarder that the gateway is compared with: the minimum cost of passing calls on with Bun.
const [upstream] = process.argv.slice(2)

const PASSED_ON = ['x-goog-api-key', 'x-api-key', 'anthropic-version']

function headersFor({ headers }: Request): Record<string, string> {
  const passed_on: Record<string, string> = { 'content-type': 'application/json' }
  for (const name of PASSED_ON) {
    const value = headers.get(name)
    if (value !== null) passed_on[name] = value
  }
  return passed_on
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname, search } = new URL(request.url)
    const response = await fetch(`${upstream}${pathname}${search}`, {
      method: 'POST',
      headers: headersFor(request),
      body: await request.arrayBuffer(),
      signal: request.signal,
    })
    const content_type = response.headers.get('content-type') ?? 'application/json'
    // Reading a small whole answer is cheaper than passing it on as a stream.
    const body = content_type === 'text/event-stream' ? response.body : await response.arrayBuffer()
    return new Response(body, { status: response.status, headers: { 'content-type': content_type } })
  },
})

process.stdout.write(`${server.port}\n`)
