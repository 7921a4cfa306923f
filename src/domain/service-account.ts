// The key file of a Google service account, and the problems of an unusable one.
// https://cloud.google.com/iam/docs/keys-create-delete#creating
import { createPrivateKey } from 'node:crypto'
import { isLoopback } from '../utilities/listen-address.ts'

export interface ServiceAccount {
  readonly client_email: string
  /** In PEM. */
  readonly private_key: string
  readonly private_key_id: string | undefined
  readonly project_id: string
  /** The endpoint that exchanges a signed assertion for an access token. */
  readonly token_uri: string
}

const TOKEN_URI = 'https://oauth2.googleapis.com/token'

/** Whether a provider's key is the text of a service account's file. */
export const isServiceAccount = (api_key: string): boolean => api_key.startsWith('{')

/** An unusable file. The problem is a sentence without its subject. */
interface UnusableAccount {
  readonly problem: string
}

/** Parses the text of a file. A problem quotes nothing of it but its `type`. */
export function readServiceAccount(text: string): ServiceAccount | UnusableAccount {
  const file = parsed(text)
  if (!file) return { problem: `must be the whole JSON file of a service account's key: ${AGAIN}` }
  const { type, private_key_id } = file
  if (type !== 'service_account')
    return { problem: `must be the key of a service account, not of type ${JSON.stringify(type)}: ${AGAIN}` }
  const [client_email, private_key, project_id] = ['client_email', 'private_key', 'project_id'].map((name) =>
    textOf(file[name]),
  )
  if (!client_email || !private_key || !project_id)
    return { problem: `must have client_email, private_key and project_id: ${AGAIN}` }
  const token_uri = textOf(file.token_uri) ?? TOKEN_URI
  const problem = problemOfKey(private_key) ?? problemOfAddress(token_uri)
  if (problem !== undefined) return { problem }
  return { client_email, private_key, private_key_id: textOf(private_key_id), project_id, token_uri }
}

const AGAIN =
  'in the Google Cloud console open IAM & Admin, Service accounts, Keys, and create a key of type JSON'

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const file: unknown = JSON.parse(text)
    return typeof file === 'object' && file !== null ? { ...file } : undefined
  } catch {
    // Dropped: the text is no JSON. The caller reports that without the text, which is secret.
    return undefined
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

function problemOfKey(private_key: string): string | undefined {
  try {
    const { asymmetricKeyType } = createPrivateKey(private_key)
    return asymmetricKeyType === 'rsa' ? undefined : `must have an RSA key as its private_key: ${AGAIN}`
  } catch {
    // Dropped: the library's message does not help.
    return `has a private_key that is cut or changed: take the file as it was downloaded`
  }
}

/** The signed assertion acts for the account, so it may only be sent over TLS, or to this machine. */
function problemOfAddress(token_uri: string): string | undefined {
  const url = URL.parse(token_uri)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return undefined
  return 'has a token_uri that is no https address: take the file as it was downloaded'
}

/** Returns the project of an account. @param text of its file, already parsed without a problem */
export const projectOf = (text: string): string => textOf(parsed(text)?.project_id) ?? ''
