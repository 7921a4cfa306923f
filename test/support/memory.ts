// The memory of a process as counted by the kernel: its resident memory, now and at its peak.

/** @returns megabytes; proc_pid_status(5), VmHWM: unlike a child's resource usage it does not begin with the parent's peak */
export const peakMemory = (pid: number): Promise<number> => readMemory(pid, 'VmHWM')

/** @returns megabytes; proc_pid_status(5), VmRSS */
export const usedMemory = (pid: number): Promise<number> => readMemory(pid, 'VmRSS')

async function readMemory(pid: number, field: string): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text()
  const kb = Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1])
  return Math.round(kb / 1024)
}
