// The typed client of the console's routes, and the errors of calls that fail.
import { treaty } from '@elysiajs/eden/treaty2'
import type { ConsoleApp } from '../../../index.ts'
import { fetchConfirmed } from './confirming.ts'
import { connectionLost, connectionWorks } from './connection.ts'
import { createNotifier } from './notifier.ts'
import { addressOf, gatewayUrl } from './place.ts'

/** The message of an error; of anything else, its text. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

const client = treaty<ConsoleApp>(gatewayUrl(), {
  // Otherwise it turns every text that looks like a time into a Date.
  parseDate: false,
  fetcher: fetchConfirmed as typeof fetch,
})

/** What a route answers: `AnswerOf<typeof api.accounts.get>`. */
export type AnswerOf<Route extends (...args: never[]) => Promise<{ data: unknown }>> = NonNullable<
  Awaited<ReturnType<Route>>['data']
>

/** The query that a route takes. */
export type QueryOf<Route extends (...args: never[]) => unknown> = Route extends (
  options?: infer Options,
) => unknown
  ? NonNullable<Options> extends { query?: infer Query }
    ? NonNullable<Query>
    : never
  : never

/** The routes, by subject: `api.accounts.get({ query })`. Path parameters are encoded by the caller: `part(id)`. */
export const api = client.console.api

/** A part of a path: eden does not encode them. */
export const part = (value: string | number): string => encodeURIComponent(value)

/** A refusal or failure as the server words it. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  constructor(
    readonly status: number,
    message: string,
    /** The kind of error, or a more specific word. */
    readonly code: string,
    /** The field at fault. */
    readonly param: string | null,
    readonly request_id: string | null,
  ) {
    super(message)
  }
}

/** The gateway could not be reached: whether it did the request is unknown. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
  constructor() {
    super('The gateway cannot be reached. What you typed is kept. Try again once the connection is back.')
  }
}

/** What eden answers. */
export interface Answer {
  data: unknown
  error: unknown
  status: number
  response: Response | undefined
}

/**
 * The data of a call of `api`.
 *
 * @throws ApiError as the server words it; ConnectionLost where it could not be reached
 */
export async function send<A extends Answer>(call: Promise<A>): Promise<NonNullable<A['data']>> {
  const answer = await call.catch(lost)
  // Eden answers a failed fetch as a 503 of its own, without a response.
  if (answer.response === undefined) return lost()
  connectionWorks()
  if (answer.error === null) return answer.data as NonNullable<A['data']>
  throw refused(errorOf(answer.error), answer.response)
}

/**
 * A call by `fetch`, for what eden cannot carry: streams, files, downloads.
 *
 * @param path as the gateway knows it
 * @returns the answer, which is no failure
 * @throws as `send`; DOMException AbortError once `signal` is aborted
 */
export async function sendRaw(path: `/${string}`, init: RequestInit = {}): Promise<Response> {
  let answer: Response
  try {
    answer = await fetchConfirmed(addressOf(path), init)
  } catch (broken) {
    if (init.signal?.aborted) throw broken
    return lost()
  }
  connectionWorks()
  if (answer.ok) return answer
  // Without a JSON body, of a proxy for instance, the status says enough.
  throw refused(await answer.json().catch(() => undefined), answer)
}

function lost(): never {
  connectionLost()
  throw new ConnectionLost()
}

/** Eden's error carries the body as its `value`. */
const errorOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'value' in error ? error.value : undefined

interface ErrorBody {
  error: { message: string; code: string; param: string | null }
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false
  const { error } = body
  return typeof error === 'object' && error !== null && 'message' in error && 'code' in error
}

function refused(body: unknown, { status, headers }: Response): ApiError {
  const request_id = headers.get('x-request-id')
  const failure = isErrorBody(body)
    ? new ApiError(status, body.error.message, body.error.code, body.error.param ?? null, request_id)
    : new ApiError(
        status,
        `The gateway answered ${status}. Try again, or check its log.`,
        'unknown',
        null,
        request_id,
      )
  if (status === 401) signed_out.notify()
  if (status === 404 || failure.code === 'account_suspended') session_changed.notify()
  return failure
}

const signed_out = createNotifier()

/** A call was refused because nobody is signed in. */
export const onSignedOut = signed_out.on

const session_changed = createNotifier()

/** The session may be another by now: the account was suspended, or there is no console any more. */
export const onSessionChanged = session_changed.on

/** Somebody has signed in again over a page that stays. */
export const { notify: signedIn, on: onSignedIn } = createNotifier()
