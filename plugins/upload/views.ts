// Owns what callers are shown of their files.
import type { StoredFile } from '../../src/library/files.ts'

/** silent.md, Upload and files. `created_at` is ISO 8601 in UTC. */
export const fileView = ({ key, name, bytes, mime, sha256, width, height, created_at_ms }: StoredFile) => ({
  key,
  name,
  size: bytes,
  mime,
  sha256,
  width,
  height,
  created_at: new Date(created_at_ms).toISOString(),
})
