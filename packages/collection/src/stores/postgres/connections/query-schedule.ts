/**
 * Decides when queries are sent that each answer many requests: after the requests that have already arrived are processed, and two
 * at once, so that the server works on one query while this program parses the rows of the other. Returns the function to call for a
 * new request.
 *
 * @param send sends a query for the requests that wait, and resolves when they are answered
 * @param isWaiting returns whether there are such requests
 */
export function querySchedule(send: () => Promise<void>, isWaiting: () => boolean): () => void {
  let isDue = false;
  let underWay = 0;
  const sendOne = async (): Promise<void> => {
    isDue = false;
    underWay++;
    await send();
    underWay--;
    if (isWaiting()) schedule();
  };
  const schedule = (): void => {
    if (isDue || underWay >= queriesAtOnce) return;
    isDue = true;
    setImmediate(sendOne);
  };
  return schedule;
}

const queriesAtOnce = 2;
