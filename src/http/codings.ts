// Negotiation of an answer's content coding, for content stored in several codings.

/**
 * Returns the first offered coding that the caller accepts; `identity` if none.
 * RFC 9110, 12.5.3: a weight of 0 refuses a coding, and `*` stands for all that are not named.
 * @param offered the preferred one first
 */
export function acceptedCoding<const Coding extends string>(
  header: string | null,
  offered: readonly Coding[],
): Coding | 'identity' {
  const weights = new Map((header ?? '').toLowerCase().split(',').map(readCoding))
  const isTaken = (coding: Coding): boolean => (weights.get(coding) ?? weights.get('*') ?? 0) > 0
  return offered.find(isTaken) ?? 'identity'
}

/** Parses `gzip;q=0.5` into name and weight. */
function readCoding(text: string): [name: string, weight: number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length)
  return [name, weight === undefined ? 1 : Number(weight)]
}
