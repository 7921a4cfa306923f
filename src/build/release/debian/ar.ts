// An ar archive, the format of a Debian package: https://manpages.debian.org/bookworm/dpkg-dev/deb.5.en.html
const MAGIC = '!<arch>\n'
const MAX_NAME_CHARS = 16

interface ArMember {
  /** At most 16 ASCII characters. */
  readonly name: string
  readonly content: Uint8Array
}

/** @param time of every member @throws RangeError for a name that is too long */
export function arArchive(members: readonly ArMember[], time: Date): Buffer {
  return Buffer.concat([Buffer.from(MAGIC), ...members.flatMap((member) => partsOf(member, time))])
}

/** Writes a header in text columns, and a byte after content of odd length, so that each member begins at an even offset. */
function partsOf({ name, content }: ArMember, time: Date): Uint8Array[] {
  if (name.length > MAX_NAME_CHARS)
    throw new RangeError(`${name}: must have at most ${MAX_NAME_CHARS} characters`)
  const seconds = Math.floor(time.getTime() / 1000)
  const header = [
    name.padEnd(MAX_NAME_CHARS),
    String(seconds).padEnd(12),
    '0'.padEnd(6),
    '0'.padEnd(6),
    '100644'.padEnd(8),
    String(content.length).padEnd(10),
    '`\n',
  ].join('')
  return [Buffer.from(header), content, Buffer.from(content.length % 2 === 0 ? '' : '\n')]
}
