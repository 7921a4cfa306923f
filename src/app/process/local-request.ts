// A request to the gateway on this machine. `fetch` would send it to the proxy of HTTP_PROXY, which many containers set.
import type { IncomingMessage, RequestOptions } from 'node:http'

interface DirectAnswer {
  status: number | undefined
  text: string
}

/** @throws the connection's error, or the signal's reason */
export async function requestLocal(
  url: string,
  { body, ...options }: Pick<RequestOptions, 'method' | 'headers'> & { signal: AbortSignal; body?: string },
): Promise<DirectAnswer> {
  const { text: readText } = await import('node:stream/consumers')
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http')
  const answered = Promise.withResolvers<IncomingMessage>()
  // The server is this machine's gateway; another check examines whether callers trust its certificate.
  request(url, { ...options, rejectUnauthorized: false }, answered.resolve)
    .on('error', answered.reject)
    .end(body)
  const answer = await answered.promise
  return { status: answer.statusCode, text: await readText(answer) }
}
