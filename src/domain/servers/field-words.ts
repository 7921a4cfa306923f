// The fields of a server's address in words: for who left one out, and for the console's forms.
import type { ServerField } from './known-server.ts'

export interface FieldWords {
  readonly label: string
  /** The text to write, in the middle of a sentence. */
  readonly what: string
  readonly example: string
  /** The same where a server can do without it. */
  readonly optional: string
}

export const FIELD_WORDS: Readonly<Record<ServerField, FieldWords>> = {
  resource: {
    label: 'Resource',
    what: 'the name of the Azure resource',
    example: '"acme" for https://acme.openai.azure.com or https://acme.services.ai.azure.com',
    optional: '',
  },
  region: {
    label: 'Region',
    what: 'the region of the account',
    example: '"us-east-1"',
    optional: 'Such as "europe-west1". Leave empty for "global".',
  },
  api_version: {
    label: 'API version',
    what: 'the version of the API',
    example: '"2024-10-21"',
    optional: 'Such as "2024-10-21". Leave empty for the current API.',
  },
}
