// A request to the gateway of this machine. `fetch` would send it to the proxy that HTTP_PROXY names, as it is set in many containers.
import { request as askPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as askSecure } from 'node:https'
import { text as readText } from 'node:stream/consumers'

interface DirectAnswer {
  status: number | undefined
  text: string
}

/** @throws what the connection throws, and the reason of the signal */
export async function askDirectly(
  url: string,
  { body, ...options }: Pick<RequestOptions, 'method' | 'headers'> & { signal: AbortSignal; body?: string },
): Promise<DirectAnswer> {
  const ask = url.startsWith('https:') ? askSecure : askPlain
  const answered = Promise.withResolvers<IncomingMessage>()
  // It is this machine's own gateway; whether callers trust its certificate is another check.
  ask(url, { ...options, rejectUnauthorized: false }, answered.resolve)
    .on('error', answered.reject)
    .end(body)
  const answer = await answered.promise
  return { status: answer.statusCode, text: await readText(answer) }
}
