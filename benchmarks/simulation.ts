/** What a service on PostgreSQL is made of, as far as it decides how many changes it makes. */
export interface SimulatedService {
  readonly instances: number;
  /** Of the collection. A transaction needs one that no other transaction holds. */
  readonly partitions: number;
  /** How long the database takes for a commit, in milliseconds: its disk, and the way to a synchronous standby. */
  readonly commit: number;
  /** Each sends a change when the one before is answered; they are spread evenly over the instances. */
  readonly clients: number;
}

/**
 * Returns how many changes a service makes in a second, by simulation with a random seed of its own: the same every time.
 *
 * An instance has one transaction at a time, with all changes that wait for one when it begins. It asks for a free partition,
 * waits for one if all are held, and holds it for two round trips and the commit.
 */
export function simulateChanges(service: SimulatedService, simulatedSeconds: number = 20): number {
  const { instances, commit, clients } = service;
  const random = randomNumbers(20_260_101);
  const end = simulatedSeconds * 1000;
  const events: Event[] = [];
  const waiting = Array.from({ length: instances }, () => 0);
  const isBusy = waiting.map(() => false);
  const forPartition: (() => void)[] = [];
  let freePartitions = service.partitions;
  let now = 0;
  let changes = 0;

  const after = (milliseconds: number, act: () => void): void => {
    const at = now + milliseconds * (0.8 + 0.4 * random()); // nothing takes the same time twice
    const place = events.findLastIndex((event) => event.at <= at);
    events.splice(place + 1, 0, { at, act });
  };
  const sendFrom = (instance: number): void => {
    after(turnaround, () => {
      waiting[instance] = (waiting[instance] ?? 0) + 1;
      begin(instance);
    });
  };
  const begin = (instance: number): void => {
    const batch = Math.min(waiting[instance] ?? 0, mostChanges);
    if (isBusy[instance] === true || batch === 0) return;
    isBusy[instance] = true;
    waiting[instance] = (waiting[instance] ?? 0) - batch;
    const make = (): void => {
      freePartitions--;
      after(overhead + commit, () => {
        freePartitions++;
        forPartition.shift()?.();
        isBusy[instance] = false;
        changes += batch;
        begin(instance);
        for (let answered = 0; answered < batch; answered++) sendFrom(instance);
      });
    };
    if (freePartitions > 0) make();
    else forPartition.push(make);
  };

  for (let client = 0; client < clients; client++) sendFrom(client % instances);
  for (let event = events.shift(); event !== undefined && event.at < end; event = events.shift()) {
    now = event.at;
    event.act();
  }
  return changes / simulatedSeconds;
}

interface Event {
  readonly at: number;
  readonly act: () => void;
}

/**
 * What a transaction takes besides its commit, in milliseconds: two round trips, statements, the waiting for a processor. It was
 * fitted to measurements on a machine with two cores, which the service, the server and the clients shared; a bigger one has less.
 */
const overhead = 5;

/** From an answer to the moment when the client's next change waits, in milliseconds. */
const turnaround = 0.3;

/** Of one transaction. */
const mostChanges = 500;

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
