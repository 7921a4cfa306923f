// Encoded forms of secrets: base64 at any offset, base64url, hex, and percent-encoding of every byte.

interface EncodedSecrets {
  /** Whether a text contains an encoded secret. Fast, since it checks only sufficiently long runs of characters. */
  finds(text: string): boolean
  /** Returns the text with each encoded secret replaced. */
  hide(text: string, replacement: string): string
}

/** @param secrets in plain text */
export function createEncodedSecrets(secrets: readonly string[]): EncodedSecrets {
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((one, other) => one.length - other.length)
  const runs: Runs = {
    characters: encodingCharacters(),
    min_chars: forms[0]?.length ?? Number.POSITIVE_INFINITY,
    accepts: (run) => contains(run, forms),
  }
  let pattern: RegExp | undefined
  const finds = (text: string) => someRun(text, runs)
  return {
    finds,
    hide(text, replacement) {
      if (!finds(text)) return text
      // The characters next to a form contain the remaining bits of its first and last byte.
      pattern ??= new RegExp(
        `[\\w+/-]?(?:${forms.toReversed().map(escapeSigns).join('|')})[\\w+/-]?={0,2}`,
        'g',
      )
      return text.replace(pattern, replacement)
    },
  }
}

function contains(run: string, by_length: readonly string[]): boolean {
  for (const form of by_length) {
    if (form.length > run.length) return false
    if (run.includes(form)) return true
  }
  return false
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const percent = hex.replace(/../g, '%$&')
  return [
    ...[0, 1, 2].flatMap((offset) => base64Forms(bytes, offset)),
    hex,
    hex.toUpperCase(),
    percent,
    percent.toUpperCase(),
  ]
}

/** Returns the base64 characters of bytes that start `offset` bytes into a group of three, without those that depend on neighbouring bytes. */
function base64Forms(bytes: Buffer, offset: number): string[] {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  const first = Math.ceil((offset * 8) / 6)
  const form = text.slice(first, Math.floor(((offset + bytes.length) * 8) / 6))
  const percent = encodeURIComponent(form)
  const lower = percent.replace(/%../g, (code) => code.toLowerCase())
  return [form, form.replaceAll('+', '-').replaceAll('/', '_'), percent, lower]
}

/** The characters of encodings by code: letters, digits, and `+ / - _ %`. */
const encodingCharacters = (): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => (/[\w+/%-]/.test(String.fromCharCode(code)) ? 1 : 0))

/**
 * Whether any run of encoding characters is accepted. A run of at least `min_chars` includes one of every `min_chars` positions,
 * so most characters are skipped.
 */
function someRun(text: string, { characters, min_chars, accepts }: Runs): boolean {
  const isPart = (at: number) => characters[text.charCodeAt(at)] === 1
  for (let at = min_chars - 1; at < text.length; ) {
    if (!isPart(at)) {
      at += min_chars
      continue
    }
    let from = at
    while (from > 0 && isPart(from - 1)) from--
    let to = at + 1
    while (to < text.length && isPart(to)) to++
    if (to - from >= min_chars && accepts(text.slice(from, to))) return true
    at = to + min_chars
  }
  return false
}

interface Runs {
  characters: Uint8Array
  min_chars: number
  accepts(run: string): boolean
}

const escapeSigns = (form: string): string => form.replace(/[+/]/g, '\\$&')
