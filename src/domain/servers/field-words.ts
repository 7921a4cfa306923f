// Labels and examples of the fields of a server's address, for error messages and the console's forms.
import type { ServerField } from './known-server.ts'

export interface FieldWords {
  readonly label: string
  /** A description of its value, for the middle of a sentence. */
  readonly what: string
  readonly example: string
  /** The help text if the field is optional. */
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
