// Advice on a native provider's address: it comes without the version, which targets add.
import { endsInWhatIsAdded } from '../base-url.ts'

const VERSION = /\/v1(?:alpha|beta\d*)?(?:\/models(?:\/.*)?)?$/

/** https://ai.google.dev/gemini-api/docs/openai: Google's own address for the other protocol ends in `/openai`. */
export function baseUrlAdvice(base_url: URL): string | undefined {
  if (/\/openai\/*$/.test(base_url.pathname))
    return `is an address for protocol = "openai"; for "gemini" write "${base_url.origin}"`
  return endsInWhatIsAdded(base_url, VERSION)
}
