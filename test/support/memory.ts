// Owns how much memory a process has ever had: of itself, where a child's own accounting begins with its parent's peak.

/** @returns megabytes; proc_pid_status(5), VmHWM */
export async function peakMemory(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text()
  const peak_kb = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1])
  return Math.round(peak_kb / 1024)
}
