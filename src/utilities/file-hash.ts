// The SHA-256 of a file, read in blocks.

/** @returns in hex @throws the file system's error */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const block of Bun.file(path).stream()) hash.update(block)
  return hash.digest('hex')
}
