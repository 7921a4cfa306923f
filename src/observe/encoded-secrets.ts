// Secrets as encodings show them: base64 at any offset, base64url, hex, and percent-encoding of every byte.

interface EncodedSecrets {
  /** Whether a text contains a form. Fast: only runs of characters that are long enough are looked at. */
  finds(text: string): boolean
  /** The text with each form replaced. */
  hide(text: string, replacement: string): string
}

/** @param secrets as they are, in plain text */
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
      // The characters beside a form hold the rest of its first and last byte.
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

/** The characters that base64 always makes of bytes that begin `offset` bytes into a group of three, whatever is around them. */
function base64Forms(bytes: Buffer, offset: number): string[] {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  const first = Math.ceil((offset * 8) / 6)
  const form = text.slice(first, Math.floor(((offset + bytes.length) * 8) / 6))
  const percent = encodeURIComponent(form)
  const lower = percent.replace(/%../g, (code) => code.toLowerCase())
  return [form, form.replaceAll('+', '-').replaceAll('/', '_'), percent, lower]
}

/** Letters, digits, and `+ / - _ %`, by their codes: what encodings are made of. */
const encodingCharacters = (): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => (/[\w+/%-]/.test(String.fromCharCode(code)) ? 1 : 0))

/**
 * Whether a run of the characters that encodings use is accepted. A run of this length covers every place of its length,
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
