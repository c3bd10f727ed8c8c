//! Lists, page after page.

use std::collections::VecDeque;

use crate::client::{Call, Client};
use crate::error::Error;

/// A request of a list. The build implements it for every list of the contract.
pub trait List: Call {
    /// An item of the list.
    type Item;
    /// The place of the page.
    fn page_token(&mut self) -> &mut String;
    /// The items of a page, and the token of the next one.
    fn page(answer: Self::Answer) -> (Vec<Self::Item>, String);
}

/// The items of a list. A page is fetched when it is needed.
pub struct Items<L: List> {
    client: Client,
    /// The request of the next page.
    request: Option<L>,
    page: VecDeque<L::Item>,
}

impl<L: List> Items<L> {
    /// Gives the next item, or `None` at the end.
    pub async fn next(&mut self) -> Result<Option<L::Item>, Error> {
        while self.page.is_empty() {
            let Some(mut request) = self.request.take() else {
                return Ok(None);
            };
            let answer = self.client.call(request.clone()).await?;
            let (items, token) = L::page(answer);
            self.page = items.into();
            if !token.is_empty() {
                *request.page_token() = token;
                self.request = Some(request);
            }
        }
        Ok(self.page.pop_front())
    }

    /// Gives all items that are left.
    pub async fn all(mut self) -> Result<Vec<L::Item>, Error> {
        let mut items = Vec::new();
        while let Some(item) = self.next().await? {
            items.push(item);
        }
        Ok(items)
    }
}

impl Client {
    /// Gives the items of any list of the contract, such as
    /// `client.items(ListTasksRequest::default())`.
    pub fn items<L: List>(&self, request: L) -> Items<L> {
        Items {
            client: self.clone(),
            request: Some(request),
            page: VecDeque::new(),
        }
    }
}
