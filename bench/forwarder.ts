// Owns the peer that the gateway is compared with: the least that a forwarder on Bun can do, and nothing else.
const [upstream] = process.argv.slice(2)

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname, search } = new URL(request.url)
    const response = await fetch(`${upstream}${pathname}${search}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-goog-api-key': request.headers.get('x-goog-api-key') ?? '',
      },
      body: await request.arrayBuffer(),
      signal: request.signal,
    })
    // A small whole answer is cheaper read than passed on as a stream.
    const body = pathname.endsWith(':streamGenerateContent') ? response.body : await response.arrayBuffer()
    return new Response(body, {
      status: response.status,
      headers: { 'content-type': response.headers.get('content-type') ?? 'application/json' },
    })
  },
})

process.stdout.write(`${server.port}\n`)
