// Advice on a messages provider's address: it comes without the version, which targets add.
import { endsInWhatIsAdded } from '../base-url.ts'

const VERSION = /\/v1(?:\/messages)?$/

export const baseUrlAdvice = (base_url: URL): string | undefined => endsInWhatIsAdded(base_url, VERSION)
