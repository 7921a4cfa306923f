// What the bodies of all providers' APIs have in common in the document.
import { count, flag, object, type Schema, text } from './schema.ts'

export const MODEL = text('The name of a model.')
export const LIMIT = 'The most output tokens. It decides how much money is held before the call.'
export const STREAM = flag('Send the answer as events while it is written.')
export const USAGE = 'The usage that the provider counted. It decides the charge.'
export const CREATED = count('Seconds since 1970, UTC.')
export const ANSWERED_MODEL = text('The model that you asked for.')

export const OPENAI = 'https://platform.openai.com/docs/api-reference'

/** A body of a provider's API: the fields that everyone needs, those that differ here, and where to find the others. */
export const asIn = (reference: string, fields: Readonly<Record<string, Schema>>, differs = ''): Schema =>
  object(fields, `${differs} All other fields are in [the provider's reference](${reference}).`.trim())
