// The room on the disk of a folder: for readiness and for the doctor.
import { statfs } from 'node:fs/promises'
import { MIN_FREE_BYTES } from '../../store/disk-room.ts'

/** The room on the disk of a folder. `is_full`: paid calls are refused. @throws the file system's error */
export async function roomOn(folder: string) {
  const { bavail, bsize, ffree, files } = await statfs(folder)
  const free_bytes = bavail * bsize
  return { free_bytes, ffree, files, is_full: free_bytes < MIN_FREE_BYTES }
}
