// Labels of the catalogue's fields with a fixed place in a form. Other fields show their name and description.
import type { ReactNode } from 'react'

interface Label {
  label: string
  help?: ReactNode
  code?: true
  /** Lines of a text area. */
  rows?: number
  /** A warning to confirm before it is switched off. */
  off?: string
  /** Labels for the values of a choice. */
  options?: Readonly<Record<string, string>>
}
export type Labels = Readonly<Record<string, Label>>

export const PROVIDER: Labels = {
  name: { label: 'Name', help: 'Used by routes and in the log.', code: true },
  cooldown_ms: { label: 'First cooldown', help: 'It doubles with each failure in a row.' },
  call_timeout_ms: { label: 'Timeout of a call' },
}

/** Labels of a provider's address. A known server's own address is the default. */
export function addressLabels(has_server: boolean): Labels {
  const default_words = has_server ? 'Leave empty to use the address of the server. ' : ''
  return {
    base_url: {
      label: has_server ? 'Address (optional)' : 'Address',
      help: `${default_words}After a change of the address, enter the keys again: a key is sent only to the address that it was entered for.`,
      code: true,
    },
  }
}

export const MODEL: Labels = {
  id: { label: 'ID', help: 'The name that callers use.', code: true },
  display_name: { label: 'Display name' },
  shutdown_date: {
    label: 'Shutdown date',
    help: 'Such as 2027-03-31. Callers see it. Leave empty to use the latest date of its routes.',
  },
  context: { label: 'Context', help: 'In tokens, prompt and answer together.' },
  max_output_tokens: { label: 'Max output', help: 'In tokens. Applies to requests that set no limit.' },
  retired: { label: 'Retired', help: 'Calls of a retired model are refused. Its history is kept.' },
}

export const ROUTE: Labels = {
  model: { label: 'Upstream model', code: true },
  order: { label: 'Order' },
  generation: {
    label: 'Generation (optional)',
    help: 'Enter the model that was deployed, such as gpt-5.4 or gpt-image-2, if the deployment has another name. Its rules apply.',
    code: true,
  },
}

const OF_TOKENS = ' per million tokens'

export const PRICE: Labels = {
  input: { label: `Input price${OF_TOKENS}` },
  output: { label: `Output price${OF_TOKENS}` },
  cache_read: {
    label: 'Cache read',
    help: 'Input tokens read from the provider’s cache. Leave empty for a tenth of the input price, or less if the provider bills less.',
  },
  per_image: { label: 'Price per image' },
  per_million_characters: { label: 'Price per million characters' },
  per_minute: { label: 'Price per minute of audio' },
  per_thousand_searches: { label: 'Price per thousand searches' },
}

/** Labels of an image model priced by tokens, in the order of the form. */
export const PRICE_OF_IMAGE_TOKENS: Labels = {
  input: { label: `Text input price${OF_TOKENS}` },
  image_input: { label: `Image input price${OF_TOKENS}`, help: 'Leave empty for the price of text input.' },
  image_output: { label: `Image output price${OF_TOKENS}` },
  cache_read: { label: 'Cached text input', help: 'Leave empty for the price of text input.' },
  image_cache_read: { label: 'Cached image input', help: 'Leave empty for the price of image input.' },
  output: { label: 'Text output', help: 'Leave empty for the price of image output.' },
}
