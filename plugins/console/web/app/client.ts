// Typed client of the console's routes, and the errors of failed calls.
import { treaty } from '@elysiajs/eden/treaty2'
import type { ConsoleApp } from '../../../index.ts'
import { fetchWithConfirmation } from './confirming.ts'
import { connectionLost, connectionWorks } from './connection.ts'
import { addressOf, gatewayUrl } from './gateway-address.ts'
import { createNotifier } from './notifier.ts'

/** Returns the message of an error, and the text of any other thrown value. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

const client = treaty<ConsoleApp>(gatewayUrl(), {
  // By default, eden turns each text that looks like a time into a Date.
  parseDate: false,
  fetcher: fetchWithConfirmation as typeof fetch,
})

/** The data of a route's answer: `AnswerOf<typeof api.accounts.get>`. */
export type AnswerOf<Route extends (...args: never[]) => Promise<{ data: unknown }>> = NonNullable<
  Awaited<ReturnType<Route>>['data']
>

export type QueryOf<Route extends (...args: never[]) => unknown> = Route extends (
  options?: infer Options,
) => unknown
  ? NonNullable<Options> extends { query?: infer Query }
    ? NonNullable<Query>
    : never
  : never

/** The routes, by subject: `api.accounts.get({ query })`. Path parameters are encoded by the caller: `pathPart(id)`. */
export const api = client.console.api

/** Encodes a part of a path, which eden does not do. */
export const pathPart = (value: string | number): string => encodeURIComponent(value)

/** A refusal or failure with the server's message. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  constructor(
    readonly status: number,
    message: string,
    /** The error's code, such as `account_suspended`. */
    readonly code: string,
    /** The field that caused the error. */
    readonly param: string | null,
    readonly request_id: string | null,
  ) {
    super(message)
  }
}

/** The gateway could not be reached. It is unknown whether it processed the request. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
  constructor() {
    super('The gateway cannot be reached. What you typed is kept. Try again once the connection is back.')
  }
}

export interface Answer {
  data: unknown
  error: unknown
  status: number
  response: Response | undefined
}

/**
 * Returns the data of a call of `api`.
 *
 * @throws ApiError with the server's message; ConnectionLost if the gateway could not be reached
 */
export async function send<A extends Answer>(call: Promise<A>): Promise<NonNullable<A['data']>> {
  const answer = await call.catch(failAsLost)
  // Eden turns a failed fetch into its own status 503 without a response.
  if (answer.response === undefined) return failAsLost()
  connectionWorks()
  if (answer.error === null) return answer.data as NonNullable<A['data']>
  throw apiError(errorOf(answer.error), answer.response)
}

/**
 * Sends a request by `fetch`, for what eden does not support: streams, uploads, downloads.
 *
 * @param path without the path of the public URL
 * @returns the response, with a status of 200 to 299
 * @throws ApiError and ConnectionLost as `send`; DOMException AbortError if `signal` is aborted
 */
export async function sendRaw(path: `/${string}`, init: RequestInit = {}): Promise<Response> {
  let answer: Response
  try {
    answer = await fetchWithConfirmation(addressOf(path), init)
  } catch (failure) {
    if (init.signal?.aborted) throw failure
    return failAsLost()
  }
  connectionWorks()
  if (answer.ok) return answer
  // A proxy, for instance, may answer without a JSON body: the error then has the status only.
  throw apiError(await answer.json().catch(() => undefined), answer)
}

function failAsLost(): never {
  connectionLost()
  throw new ConnectionLost()
}

/** Returns the body of the response, which eden puts into the error's `value`. */
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

function apiError(body: unknown, { status, headers }: Response): ApiError {
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
  if (failure.code === 'session_required') failure.message = 'Your session had ended. Try again.'
  if (status === 404 || failure.code === 'account_suspended') session_changed.notify()
  return failure
}

const signed_out = createNotifier()

/** Listens for calls that were refused because nobody is signed in. */
export const onSignedOut = signed_out.on

const session_changed = createNotifier()

/** Listens for answers that mean that the session may have changed: the account was suspended, or the console was turned off. */
export const onSessionChanged = session_changed.on

/** The user has signed in again in the dialog over an open page. */
export const { notify: signedIn, on: onSignedIn } = createNotifier()
